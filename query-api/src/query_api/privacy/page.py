"""Data about a person, as a page to print or to hand over."""

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


def page(title: str, foot: str, sections: Mapping[str, str]) -> str:
    """Return a page.

    Args:
        title: its heading.
        foot: what each sheet of paper says of it.
        sections: HTML under headings of plain words; the first has none, for it follows the title.
    """
    on_paper = "".join(f"\\{ord(letter):x} " for letter in foot)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{_STYLE}{_PAPER % on_paper}</style>",
            f"<h1>{escape(title)}</h1>",
            *(f"<h2>{head}</h2>\n{told}" if head else told for head, told in sections.items()),
            "</html>",
        ]
    )


def table(kind: str, heads: Sequence[str], rows: Iterable[Sequence[str]], none: str = "Nothing.") -> str:
    """Return a table, of which each row is a block of its own on a phone.

    Args:
        kind: how wide its columns are: `named`, `changes` or `views`.
        heads: plain words over the columns; none at all: what rows begin with says it.
        rows: cells that are HTML, the first of which names the row.
        none: what is said where there are no rows.
    """
    labels = heads or ("", "")
    told = [
        f'<tr><th scope="row" data-label="{labels[0]}">{first}</th>'
        + "".join(
            f'<td data-label="{label}">{cell}</td>' for label, cell in zip(labels[1:], others, strict=True)
        )
        + "</tr>"
        for first, *others in rows
    ]
    if not told:
        return f"<p>{none}</p>"
    over = "".join(f'<th scope="col">{head}</th>' for head in heads)
    head = f"<thead><tr>{over}</tr></thead>" if heads else ""
    return "\n".join([f'<table class="{kind}">{head}<tbody>', *told, "</tbody></table>"])


_EMPTY: Final = "\N{EN DASH}"
_HIDDEN: Final = {ERASED: "erased", MASKED: "not shown"}
_MOMENTS: Final = NOT_DETAILS - {"id"}
_CAPITALS: Final = frozenset({"id", "ifsc", "swift"})
_STATES: Final = {
    "active": "Active: neither restricted nor erased",
    "restricted": "Restricted: shown to nobody but those who see to requests like this one",
    "erasing": "Being erased: shown to nobody",
    "erased": "Erased",
}
_WHY: Final = {
    "asked": "The person asks that it be erased",
    "purpose-served": "It has served its purpose",
    "unlawful": "It should not be there",
    "contested": "Whether it is right is contested",
}
_KINDS: Final = {"details_changed": "Changed"}
_OF_PEOPLE: Final = {
    ACTOR_NAME: "names of staff",
    "reason": "reasons of changes",
    "client_request_id": "ids of requests",
    "filter": "what staff searched for",
}
_VIEWS: Final = {
    "record": "Opened it",
    "list": "Opened a list that may have had it",
    "history": "Read its history",
    "diff": "Compared two versions of it",
    "blame": "Looked up who set what in it",
    "audit": "Read the audit trail",
    "export": "Downloaded the audit trail",
    "held": "Was given all that is held",
    "due": "Looked up whose documents expire when",
    "seen-by": "Looked up who has seen it",
    "access-log": "Read the access log",
    "change": "Sent a change to it",
    "privacy": "Looked up privacy requests",
}


def page_of(held: dict[str, Any]) -> str:
    """Return it as HTML that needs nothing besides.

    Args:
        held: see `held.report_on`.
    """
    entity = entity_type(held["entity"])
    whole = [name for name in entity.personal if name in entity.schema["properties"]]
    record = ((_words(name), _value(value, name)) for name, value in (held["record"] or {}).items())
    changes = (
        (_text(one["version"]), _moment(one["moment"]), _who(one), _change(one)) for one in held["changes"]
    )
    views = ((_moment(one["moment"]), _who(one), *_view(one, whole)) for one in held["seen_by"])
    searched = ", ".join(entity.searched), ", ".join(_words(name).lower() for name in entity.searched)
    sections = {
        "As it is": table("named", ("Field", "Value"), record, none=_gone(held)),
        "Every change": table("changes", ("Version", "When", "Who", "What"), changes),
        "Who has seen it, or may have": table("views", ("When", "Who", "How", "What was shown"), views),
        "Where it is kept": _places(held, *searched),
    }
    return _page(held, f"{entity.name} {held['id']}", sections)


def page_of_actor(held: dict[str, Any]) -> str:
    """Return what is held about somebody who acts, as such a page.

    Args:
        held: see `actors.KnownActors.held`.
    """
    names = ((_text(one["name"]), _moment(one["since"])) for one in held["names"])
    views = ((_text(f"{one['name']} ({one['list']})"), _text(one["query"])) for one in held["views"])
    sections = {
        "What they are called, and were": table("named", ("Name", "Since"), names, none=_gone(held)),
        "Views of lists that they have saved": table(
            "named", ("View", "What it asks for"), views, none="None."
        ),
        "Where it is kept": _places(held, f"{ACTOR.name}s", "staff"),
    }
    return _page(held, f"member of staff {held['id']}", sections)


def _page(held: dict[str, Any], whom: str, sections: Mapping[str, str]) -> str:
    title, made, standing = f"What is held about {whom}", _moment(held["made_at"]), held["standing"]
    facts = {
        "Made": f"{made}. All times are in UTC.",
        "State": _STATES[standing["state"]],
        "Restricted on": standing["asked_at"] and _moment(standing["asked_at"]),
        "Why": standing["basis"] and _text(_WHY.get(standing["basis"], standing["basis"])),
        "To be answered by": standing["due"] and _day(standing["due"]),
        "Legal hold until": standing["hold_until"] and _day(standing["hold_until"]),
        "Erased on": standing["erased_at"] and _moment(standing["erased_at"]),
    }
    told = table("named", (), [(name, value) for name, value in facts.items() if value])
    return page(title, f"{title}, {made} UTC", {"": told, **sections})


def _places(held: dict[str, Any], wire: str, words: str) -> str:
    told = ([_text(said.replace(wire, words)) for said in place.values()] for place in held["places"])
    return table("named", ("Place", "What"), [(place[0].upper() + place[1:], what) for place, what in told])


def _gone(held: dict[str, Any]) -> str:
    return "Erased." if held["standing"]["state"] in {"erasing", "erased"} else "Nothing any more."


def _who(one: dict[str, Any]) -> str:
    actor = one["actor"] or {}
    why = [said for member, said in _HIDDEN.items() if ACTOR_NAME in one.get(member, ())]
    if actor.get("name") or not why:
        return _text(actor.get("name") or actor.get("sub"))
    return f"{_text(actor.get('sub'))} <i>(name {why[0]})</i>"


def _change(change: dict[str, Any]) -> str:
    kind = change["type"].partition(".")[2]
    hidden = {name: said for member, said in _HIDDEN.items() for name in change.get(member, ())}
    shown = [one for one in change["changes"] if one["field"] not in hidden]
    lines = [f"<b>{_head(change, kind, lists=bool(shown))}</b>"]
    for one in shown:
        was, became = (_value(one[side], one["field"]) for side in ("from", "to"))
        told = became if kind == "registered" else f"{was} → {became}"
        lines.append(f'<span class="field">{_words(one["field"])}:</span> {told}')
    for said in _HIDDEN.values():
        names = [one["field"] for one in change["changes"]] + ["reason"]
        told = ", ".join(_words(name) for name in names if hidden.get(name) == said)
        lines += [f"<i>{said.capitalize()}:</i> {told}"] * bool(told)
    lines += [f'<span class="field">Why:</span> {_text(change["reason"])}'] * bool(change["reason"])
    return "".join(f"<div>{line}</div>" for line in lines)


def _head(change: dict[str, Any], kind: str, *, lists: bool) -> str:
    if kind == "hold_set":
        until = change.get("hold_until")
        return f"Legal hold until {_day(until)}" if until else "Legal hold ended"
    undoing = f", undoing version {change['undoes']}" if change.get("undoes") else ""
    return (_KINDS.get(kind) or _words(kind)) + undoing + (" with:" if lists and kind == "registered" else "")


def _view(view: dict[str, Any], whole: list[str]) -> tuple[str, str]:
    kind = "held" if view["route"].endswith("/held") else view["kind"]
    names = [_OF_PEOPLE.get(name) or _words(name) for name in view["fields"]]
    if whole and set(whole) <= set(view["fields"]):
        others = [_OF_PEOPLE.get(name) or _words(name) for name in view["fields"] if name not in whole]
        names = ["All that is personal in it", *others]
    return _text(_VIEWS.get(kind, kind)), _text(", ".join(names))


def _words(name: str) -> str:
    """Return the words of a name on the wire: `Mobile number 1` of `mobile_number_1`."""
    parts = re.sub(r"[_.\s]+|(?<=[a-z])(?=[A-Z])", " ", name).split()
    words = " ".join(part.upper() if part in _CAPITALS else part.lower() for part in parts)
    return escape(without_controls(words[:1].upper() + words[1:]))


def _value(value: Any, name: str = "") -> str:
    """Return a value as HTML.

    Args:
        value: JSON.
        name: whose it is, where that is a record's own: what is within objects has names of anybody's choice.
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
