"""The content of mails: a subject, and the same text as plain text and as HTML."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from html import escape
from textwrap import fill
from typing import Final, NamedTuple
from urllib.parse import quote
from zoneinfo import ZoneInfo

from ops.base.encryption.keys import Key
from ops.base.records.entities import ENTITY_TYPES
from ops.base.records.own_digests import is_own_digest
from ops.base.records.signed_links import SignedLink, acknowledge_purpose
from projections.notify.mail.due import DueDocument
from read_model.public_events.envelope import PublicEvent

MOST_EVENTS: Final = 100
"""Events that a mail lists; it counts the others."""
_DUE_GROUPS: Final = (("Today", 0), ("Within 7 days", 7), ("Within 30 days", 30))
_DOCUMENTS: Final = {"licence": "Driving licence", "passport": "Passport"}
_COLLECTIONS: Final = {entity.name: entity.collection for entity in ENTITY_TYPES}


class Row(NamedTuple):
    """A line about a record."""

    id: str
    path: str
    about: str
    day: str
    detail: str
    """Shown below the day; in plain text after it."""
    action: tuple[str, str] | None = None
    """Label and path of what a recipient can do."""
    name: str = ""


class Content(NamedTuple):
    """What a mail says, in any form."""

    subject: str
    sections: Sequence[tuple[str, Sequence[Row]]]
    link: tuple[str, str]
    """Label and path of the screen that shows more."""
    note: str = ""
    confirm: str = ""
    """Path of the screen that confirms the recipient's address; empty: not needed."""

    def unnamed(self, confirm: str) -> "Content":
        """Return the content for a recipient who must not see names, with the path to confirm the address."""
        sections = [(title, [row._replace(name="") for row in rows]) for title, rows in self.sections]
        return self._replace(sections=sections, confirm=confirm)


def due_content(due: Iterable[DueDocument], day: date, key: Key | None, subscription: str) -> Content:
    """Return the content of a digest of documents on a local day.

    Args:
        key: of the subscription, which signs links; None: there are no links to acknowledge.
    """
    left = [(one, (one.last_day - day).days, _action(one, day, key, subscription)) for one in due]
    expired = [_due_row(*one) for one in reversed(left) if one[1] < 0]
    groups, first = [("Expired", expired)], 0
    for title, last in _DUE_GROUPS:
        groups.append((title, [_due_row(*one) for one in left if first <= one[1] <= last]))
        first = last + 1
    soon = len(left) - len(expired)
    parts = [f"{_count(soon, 'document')} {'expires' if soon == 1 else 'expire'} soon"] if soon else []
    if expired:
        number = str(len(expired)) if soon else _count(len(expired), "document")
        parts.append(f"{number} {'has' if len(expired) == 1 else 'have'} expired")
    sections = [(title, rows) for title, rows in groups if rows]
    link = ("Open Due Dates", "/management/due-dates")
    return Content(", ".join(parts), sections, link)


def events_content(events: Sequence[PublicEvent], count: int, zone: ZoneInfo) -> Content:
    """Return the content of a mail about events.

    Args:
        events: the first ones.
        count: the number of all.
    """
    rows = [_event_row(one, zone) for one in events[:MOST_EVENTS]]
    subject = f"{rows[0].about}: {rows[0].id}" if count == 1 else f"{count:,} changes"
    more = count - len(rows)
    note = f"{_count(more, 'more change')}: see the audit trail." if more else ""
    return Content(subject, [("Changes", rows)], ("Open the audit trail", "/management/audit"), note)


WELCOME: Final = Content(
    "This address receives due dates",
    (),
    ("Open Due Dates", "/management/due-dates"),
    "Daily mails will name driving licences and passports that expire soon.",
)
TEST: Final = Content(
    "Test of a notification",
    [],
    ("Open Fleetlog", "/"),
    "This mail shows that notifications reach this address. Nothing has happened.",
)


def compose(
    content: Content, *, address: str, subscription: str, key: str, sender: str, recipient: str, now: datetime
) -> EmailMessage:
    """Return the mail to one recipient.

    Args:
        address: the product's public address.
        key: identifies the notification within the subscription. A repeat has the same Message-ID, unless
            the content has changed: recipients who drop repeats would miss the change.
    """
    which = "own" if is_own_digest(subscription) else quote(subscription)
    page = f"{address}/management/notifications/{which}"
    digest = sha256(f"{subscription}|{key}|{recipient}|{content}".encode()).hexdigest()[:32]
    message = EmailMessage(policy=SMTP)
    message["Subject"] = content.subject
    message["From"] = sender
    message["To"] = recipient
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{digest}@{sender.rpartition('@')[2].rstrip('>')}>"
    message["List-Unsubscribe"] = f"<{page}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_text(content, address, page))
    message.add_alternative(_html(content, address, page), subtype="html")
    return message


def day_text(day: date) -> str:
    """Return a day such as 31 Dec 2026."""
    return f"{day.day} {day:%b} {day.year}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _action(one: DueDocument, day: date, key: Key | None, subscription: str) -> tuple[str, str] | None:
    if key is None:
        return None
    # From the digest's day, not the current time: a repeated mail has the same content.
    link = SignedLink.sign(key, subscription, acknowledge_purpose(one.driver, one.document), day)
    path = f"{_record_path('driver', one.driver)}?acknowledge={one.document}&link={link}"
    return "Acknowledge or snooze", path


def _due_row(one: DueDocument, left: int, action: tuple[str, str] | None) -> Row:
    if left < 0:
        detail = f"{_count(-left, 'day')} ago"
    else:
        detail = f"{_count(left, 'day')} left" if left else "Last day today"
    path = _record_path("driver", one.driver)
    return Row(one.driver, path, _DOCUMENTS[one.document], day_text(one.last_day), detail, action, one.name)


def _event_row(one: PublicEvent, zone: ZoneInfo) -> Row:
    moment = one.moment.astimezone(zone)
    about = one.type.replace(".", " ").replace("_", " ").capitalize()
    path = _record_path(one.entity, one.entity_id)
    return Row(one.entity_id, path, about, day_text(moment.date()), f"{moment:%H:%M}")


def _record_path(entity: str, entity_id: str) -> str:
    return f"/management/{_COLLECTIONS.get(entity, entity)}/{quote(entity_id, safe='')}"


_WHY: Final = (
    "You receive this mail because your address is a recipient of a notification in Fleetlog."
    " To change or stop it:"
)


_CONFIRM: Final = (
    "Mails to this address leave out the drivers' names. A user who may see personal data can confirm the"
    " address, so that the next mails contain them:"
)


def _text(content: Content, address: str, page: str) -> str:
    texts = [(row.id, row.about, row.day) for _, group in content.sections for row in group]
    widths = [min(max(map(len, column)), 16) for column in zip(*texts, strict=True)]
    lines = [content.subject, ""]
    for title, group in content.sections:
        lines += [title, "-" * len(title)]
        for row in group:
            cells = zip((row.id, row.about, row.day), widths, strict=True)
            lines += ["   ".join([*(text.ljust(width) for text, width in cells), row.detail])]
            lines += [f"  {row.name}"] if row.name else []
            lines += [f"  {address}{row.path}"]
            if row.action:
                lines += [f"  {row.action[0]}: {address}{row.action[1]}"]
        lines.append("")
    if content.note:
        lines += [content.note, ""]
    label, path = content.link
    lines += [f"{label}: {address}{path}", ""]
    if content.confirm:
        lines += [fill(_CONFIRM, 76), f"{address}{content.confirm}", ""]
    return "\n".join([*lines, "-- ", fill(_WHY, 76), page, ""])


def _html(content: Content, address: str, page: str) -> str:
    sections = "\n".join(
        f'<h2 class="{title.lower()}">{title}</h2>\n'
        f"<table>\n{''.join(_html_row(row, address) for row in rows)}</table>"
        for title, rows in content.sections
    )
    note = f"<p>{escape(content.note)}</p>\n" if content.note else ""
    label, path = content.link
    confirm = f'<p>{_CONFIRM} <a href="{escape(address + content.confirm)}">Confirm this address</a></p>\n'
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{escape(content.subject)}</title>
<style>{_STYLE}</style>
</head>
<body>
<div class="page">
<p class="brand">Fleetlog</p>
<h1>{escape(content.subject)}</h1>
{sections}
{note}<p><a class="button" href="{escape(address + path)}">{label}</a></p>
{confirm if content.confirm else ""}<p class="why">{_WHY}<br><a href="{escape(page)}">{escape(page)}</a></p>
</div>
</body>
</html>
"""


def _html_row(row: Row, address: str) -> str:
    action = row.action and f'<br><a href="{escape(address + row.action[1])}">{row.action[0]}</a>'
    name = row.name and f"<br>{escape(row.name)}"
    return (
        f'<tr><td><a href="{escape(address + row.path)}">{escape(row.id)}</a>{name}</td>\n'
        f"<td>{row.about}{action or ''}</td>\n"
        f'<td class="day">{row.day}<br><span>{row.detail}</span></td></tr>\n'
    )


_STYLE: Final = """
body { margin: 0; background: #f4f5f6; color: #1a2026; font: 15px/1.4 "Segoe UI", Roboto, Arial, sans-serif; }
.page { max-width: 536px; margin: 0 auto; padding: 24px 32px 32px; background: #ffffff; }
.brand { margin: 0 0 20px; padding-bottom: 12px; border-bottom: 3px solid #f2b035; font-weight: 600; }
h1 { margin: 0 0 20px; font-size: 20px; line-height: 1.3; }
h2 { margin: 24px 0 4px; font-size: 15px; }
.expired { color: #ac2f33; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
td { padding: 8px 8px 8px 0; border-top: 1px solid #dcdfe4; text-align: left; vertical-align: top; }
td { width: 31%; overflow-wrap: anywhere; }
td:first-child { width: auto; }
.day { width: 29%; padding-right: 0; text-align: right; }
.day span, .why { color: #55606d; font-size: 13px; }
a { color: #215db0; }
.button { display: inline-block; margin-top: 20px; padding: 9px 16px; border-radius: 4px; }
.button { background: #215db0; color: #ffffff; text-decoration: none; }
.why { margin: 24px 0 0; padding-top: 12px; border-top: 1px solid #dcdfe4; overflow-wrap: anywhere; }
@media (max-width: 480px) { body { font-size: 14px; } .page { padding: 16px; } }
@media (prefers-color-scheme: dark) {
  body { background: #14181c; color: #e6eaed; }
  .page { background: #1d2328; }
  td, .why { border-color: #323a42; }
  .day span, .why { color: #a3afba; }
  a { color: #8abbff; }
  .expired { color: #fa999c; }
}
"""
