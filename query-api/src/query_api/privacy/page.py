"""A report about a person's data, as an HTML page to print or hand over."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from html import escape
from typing import Any, Final

from ops.base.records.control_characters import without_controls
from ops.base.records.entities import ACTOR, NOT_DETAILS, entity_type
from ops.base.records.masks import ERASED, MASKED
from query_api.history.wire import ACTOR_NAME

_STYLE: Final = """
:root { color-scheme: light; background: #fff }
body { font: 11pt/1.4 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2127 }
h1 { font-size: 17pt; line-height: 1.25; overflow-wrap: anywhere }
h2 { font-size: 13pt; margin: 2rem 0 .5rem; break-after: avoid }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
th, td { border: 1px solid #c5cbd3; padding: .3rem .6rem; text-align: left; vertical-align: top }
th, td { overflow-wrap: anywhere } td { white-space: pre-line } tr { break-inside: avoid }
th { background: #f6f7f9; font-weight: 600 } thead { display: table-header-group }
.named th:first-child { width: 30% }
.changes th:first-child { width: 4.6em } .changes th:nth-child(2), .views th:first-child { width: 11em }
.changes th:nth-child(3), .views th:nth-child(2) { width: 8.5em } .views tbody th { font-weight: 400 }
.changes td div { padding-left: 1em; text-indent: -1em } .named td div div { padding-left: 1em }
i, .field { color: #5f6b7c }
@media screen and (max-width: 40rem) {
  body { margin: 1rem auto } thead { display: none } table, tbody, tr, th, td { display: block }
  tr { border: 1px solid #c5cbd3; margin-bottom: .6rem } th, td { border: 0 }
  .named { border: 1px solid #c5cbd3; border-bottom: 0 }
  .named tr { border-width: 0 0 1px; margin: 0 } .named th { background: none; padding-bottom: 0 }
  .named th:first-child, .changes th:first-child, .views th:first-child { width: auto; font-weight: 600 }
  .changes th::before { content: attr(data-label) " " }
  .changes td::before, .views td::before { content: attr(data-label); display: block; color: #5f6b7c }
}
@media print {
  body { font-size: 9.5pt; max-width: none; margin: 0; padding: 0 1px } th { print-color-adjust: exact }
}
"""
_PAPER: Final = """
@page { size: A4; margin: 16mm 15mm 20mm; font: 8pt sans-serif; color: #5f6b7c }
@page { @bottom-left { content: "%s" } @bottom-right { content: counter(page) " / " counter(pages) } }
"""


_EMPTY: Final = "\N{EN DASH}"
_MASKS: Final = {ERASED: "erased", MASKED: "not shown"}
_MOMENTS: Final = NOT_DETAILS - {"id"}
_CAPITALS: Final = frozenset({"id", "ifsc", "swift"})
# As on the screens: shared/privacy/status.ts and shared/records/seen/views.ts in frontend/src.
_STATES: Final = {
    "active": "Active: neither restricted nor erased",
    "restricted": "Restricted: shown only to privacy officers",
    "erasing": "Erasing: no longer shown",
    "erased": "Erased",
}
_WHY: Final = {
    "asked": "Requested by the person",
    "purpose-served": "No longer needed",
    "unlawful": "Unlawfully held",
    "contested": "Accuracy disputed",
}
_KINDS: Final = {"details_changed": "Changed"}
_OF_PEOPLE: Final = {
    ACTOR_NAME: "Names of people",
    "reason": "Reasons",
    "client_request_id": "Clients' request ids",
    "filter": "Their filters",
}
_VIEWS: Final = {
    "record": "Opened the {noun}",
    "list": "Listed {noun}s",
    "choices": "Looked up filter values of {noun}s",
    "download": "Downloaded {noun}s",
    "history": "Read the history",
    "diff": "Compared two versions",
    "blame": "Looked up who changed each field",
    "audit": "Read the audit trail",
    "export": "Downloaded the audit trail with personal data",
    "held": "Downloaded the data held about the {noun}",
    "due": "Looked up document expiry dates",
    "change": "Sent a change to the {noun}",
    "privacy": "Looked up privacy requests",
    "seen-by": "Looked up who has seen the {noun}",
    "access-log": "Read the access log",
}


def page_of(held: dict[str, Any]) -> str:
    """Return `report.report_on`'s report as a self-contained HTML page."""
    entity = entity_type(held["entity"])
    personal = [name for name in entity.personal if name in entity.schema["properties"]]
    record = ((_words(name), _value(value, name)) for name, value in (held["record"] or {}).items())
    changes = (
        (_text(one["version"]), _moment(one["moment"]), _who(one), _change(one)) for one in held["changes"]
    )
    views = (
        (_moment(one["moment"]), _who(one), *_view(one, entity.name, personal)) for one in held["seen_by"]
    )
    searched = ", ".join(entity.searched), ", ".join(_words(name).lower() for name in entity.searched)
    sections = {
        "Current record": _table("named", ("Field", "Value"), record, none=_no_values(held)),
        "All changes": _table("changes", ("Version", "When", "Who", "What"), changes),
        "Who has seen the data, or may have": _table(
            "views", ("When", "Who", "How", "What was shown"), views
        ),
        "Where the data is stored": _places(held, *searched),
    }
    return _page(held, f"{entity.name} {held['id']}", sections)


def page_of_actor(held: dict[str, Any]) -> str:
    """Return `actors.report_on_actor`'s report as a self-contained HTML page."""
    names = ((_text(one["name"]), _moment(one["since"])) for one in held["names"])
    views = ((_text(f"{one['name']} ({one['list']})"), _text(one["query"])) for one in held["views"])
    sections = {
        "Current and former names": _table("named", ("Name", "Since"), names, none=_no_values(held)),
        "Saved views of lists": _table("named", ("View", "Query"), views, none="None."),
        "Where the data is stored": _places(held, f"{ACTOR.name}s", "staff"),
    }
    return _page(held, f"member of staff {held['id']}", sections)


def _page(held: dict[str, Any], subject: str, sections: Mapping[str, str]) -> str:
    title, made, status = f"Data held about {subject}", _moment(held["made_at"]), held["standing"]
    facts = {
        "Made": f"{made}. All times are in UTC.",
        "State": _STATES[status["state"]],
        "Restricted on": status["asked_at"] and _moment(status["asked_at"]),
        "Why": status["basis"] and _text(_WHY.get(status["basis"], status["basis"])),
        "To be answered by": status["due"] and _day(status["due"]),
        "Legal hold until": status["hold_until"] and _day(status["hold_until"]),
        "Erased on": status["erased_at"] and _moment(status["erased_at"]),
    }
    summary = _table("named", (), [(name, value) for name, value in facts.items() if value])
    foot = "".join(f"\\{ord(letter):x} " for letter in f"{title}, {made} UTC")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{_STYLE}{_PAPER % foot}</style>",
            f"<h1>{escape(title)}</h1>\n{summary}",
            *(f"<h2>{head}</h2>\n{html}" for head, html in sections.items()),
            "</html>",
        ]
    )


def _table(kind: str, heads: Sequence[str], rows: Iterable[Sequence[str]], none: str = "Nothing.") -> str:
    """Return a table; on a phone, each row becomes a block.

    Args:
        kind: the CSS class with the column widths: `named`, `changes` or `views`.
        rows: cells as HTML; the first cell names the row.
    """
    labels = heads or ("", "")
    lines = [
        f'<tr><th scope="row" data-label="{labels[0]}">{first}</th>'
        + "".join(
            f'<td data-label="{label}">{cell}</td>' for label, cell in zip(labels[1:], others, strict=True)
        )
        + "</tr>"
        for first, *others in rows
    ]
    if not lines:
        return f"<p>{none}</p>"
    over = "".join(f'<th scope="col">{head}</th>' for head in heads)
    head = f"<thead><tr>{over}</tr></thead>" if heads else ""
    return "\n".join([f'<table class="{kind}">{head}<tbody>', *lines, "</tbody></table>"])


def _places(held: dict[str, Any], name: str, words: str) -> str:
    places = ([_text(text.replace(name, words)) for text in place.values()] for place in held["places"])
    return _table(
        "named", ("Place", "What"), [(place[0].upper() + place[1:], what) for place, what in places]
    )


def _no_values(held: dict[str, Any]) -> str:
    return "Erased." if held["standing"]["state"] in {"erasing", "erased"} else "None."


def _who(one: dict[str, Any]) -> str:
    actor = one["actor"] or {}
    masks = [mask for member, mask in _MASKS.items() if ACTOR_NAME in one.get(member, ())]
    if actor.get("name") or not masks:
        return _text(actor.get("name") or actor.get("sub"))
    return f"{_text(actor.get('sub'))} <i>(name {masks[0]})</i>"


def _change(change: dict[str, Any]) -> str:
    kind = change["type"].partition(".")[2]
    masked = {name: mask for member, mask in _MASKS.items() for name in change.get(member, ())}
    shown = [one for one in change["changes"] if one["field"] not in masked]
    lines = [f"<b>{_head(change, kind, lists=bool(shown))}</b>"]
    for one in shown:
        old, new = (_value(one[side], one["field"]) for side in ("from", "to"))
        value = new if kind == "registered" else f"{old} → {new}"
        lines.append(f'<span class="field">{_words(one["field"])}:</span> {value}')
    for mask in _MASKS.values():
        names = [one["field"] for one in change["changes"]] + ["reason"]
        words = ", ".join(_words(name) for name in names if masked.get(name) == mask)
        lines += [f"<i>{mask.capitalize()}:</i> {words}"] * bool(words)
    lines += [f'<span class="field">Why:</span> {_text(change["reason"])}'] * bool(change["reason"])
    return "".join(f"<div>{line}</div>" for line in lines)


def _head(change: dict[str, Any], kind: str, *, lists: bool) -> str:
    if kind == "hold_set":
        until = change.get("hold_until")
        return f"Legal hold until {_day(until)}" if until else "Legal hold ended"
    if kind == "reminder_acknowledged":
        until = f" until {_day(change['until'])}" if change["until"] else ""
        return f"Reminder for the {change['document']} acknowledged{until}"
    undoing = f", undoing version {change['undoes']}" if change.get("undoes") else ""
    return (_KINDS.get(kind) or _words(kind)) + undoing + (" with:" if lists and kind == "registered" else "")


def _view(view: dict[str, Any], noun: str, personal: list[str]) -> tuple[str, str]:
    kind = "held" if view["route"].endswith("/held") else view["kind"]
    names = [_OF_PEOPLE.get(name) or _words(name) for name in view["fields"]]
    if personal and set(personal) <= set(view["fields"]):
        others = [_OF_PEOPLE.get(name) or _words(name) for name in view["fields"] if name not in personal]
        names = ["All personal fields", *others]
    return _text(_VIEWS.get(kind, kind).format(noun=noun)), _text(", ".join(names))


def _words(name: str) -> str:
    """Return a JSON name in words: `Mobile number 1` for `mobile_number_1`."""
    parts = re.sub(r"[_.\s]+|(?<=[a-z])(?=[A-Z])", " ", name).split()
    words = " ".join(part.upper() if part in _CAPITALS else part.lower() for part in parts)
    return escape(without_controls(words[:1].upper() + words[1:]))


def _value(value: Any, name: str = "") -> str:
    """Return a JSON value as HTML.

    Args:
        name: the record's field; empty within objects, whose members have arbitrary names.
    """
    if name in _MOMENTS and value:
        return _moment(value)
    if isinstance(value, dict) and value:
        return "".join(f"<div>{_words(key)}: {_value(one)}</div>" for key, one in value.items())
    return _text(value)


def _text(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return _EMPTY
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape(without_controls(text))


def _moment(text: str) -> str:
    moment = datetime.fromisoformat(text).astimezone(UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def _day(text: str) -> str:
    day = date.fromisoformat(text)
    return f"{day.day} {day:%b %Y}"
