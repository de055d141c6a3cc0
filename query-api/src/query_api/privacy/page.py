"""A report about a person's data, as an HTML page to print or hand over."""

import json
import re
from datetime import UTC, date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ops.base.records.control_characters import without_controls
from ops.base.records.entities import ACTOR, NOT_DETAILS, entity_type
from ops.base.records.masks import ERASED, MASKED
from query_api.history.wire import ACTOR_NAME

if TYPE_CHECKING:
    from jinja2 import Environment

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
    parts = [("", held), *((f"{one['id']}: ", one) for one in held["merged"])]
    return _page(
        held,
        f"{entity.name} {held['id']}",
        (", ".join(entity.searched), ", ".join(_words(name).lower() for name in entity.searched)),
        record=[*(held["record"] or {}).items()],
        changes=[
            one | _author(one) | _change(one, label) for label, part in parts for one in part["changes"]
        ],
        views=[
            one | _author(one) | _view(one, entity.name, personal)
            for _, part in parts
            for one in part["seen_by"]
        ],
    )


def page_of_actor(held: dict[str, Any]) -> str:
    """Return `actors.report_on_actor`'s report as a self-contained HTML page."""
    subject, replaced = f"member of staff {held['id']}", (f"{ACTOR.name}s", "staff")
    return _page(held, subject, replaced, names=held["names"], views=held["views"])


def _page(held: dict[str, Any], subject: str, replaced: tuple[str, str], **content: Any) -> str:
    """Fill the template.

    Args:
        replaced: names in the descriptions of places, and the words for them.
        content: `record`, `changes` and `views`, or `names` and `views`.
    """
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
    places = [[_text(text.replace(*replaced)) for text in place.values()] for place in held["places"]]
    return (
        _templates()
        .get_template("page.html")
        .render(
            title=title,
            foot="".join(f"\\{ord(letter):x} " for letter in f"{title}, {made} UTC"),
            facts=[(name, value) for name, value in facts.items() if value],
            no_values="Erased." if status["state"] in {"erasing", "erased"} else "None.",
            places=[(place[:1].upper() + place[1:], what) for place, what in places],
            moments=_MOMENTS,
            **content,
        )
    )


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - for these pages alone

    loader = PackageLoader("query_api", "privacy")
    templates = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    templates.filters |= {"text": _text, "moment": _moment, "words": _words}
    return templates


def _author(one: dict[str, Any]) -> dict[str, Any]:
    actor = one["actor"] or {}
    masks = [mask for member, mask in _MASKS.items() if ACTOR_NAME in one.get(member, ())]
    if actor.get("name") or not masks:
        return {"name": actor.get("name") or actor.get("sub"), "mask": None}
    return {"name": actor.get("sub"), "mask": masks[0]}


def _change(change: dict[str, Any], label: str) -> dict[str, Any]:
    kind = change["type"].partition(".")[2]
    masked = {name: mask for member, mask in _MASKS.items() for name in change.get(member, ())}
    shown = [one for one in change["changes"] if one["field"] not in masked]
    fields = [one["field"] for one in change["changes"]] + ["reason"]
    names = {
        mask: ", ".join(_words(name) for name in fields if masked.get(name) == mask)
        for mask in _MASKS.values()
    }
    return {
        "head": label + _head(change, kind, lists=bool(shown)),
        "is_new": kind == "registered",
        "shown": shown,
        "masked": [(mask, words) for mask, words in names.items() if words],
        "why": change["reason"],
    }


def _head(change: dict[str, Any], kind: str, *, lists: bool) -> str:
    if kind == "hold_set":
        until = change.get("hold_until")
        return f"Legal hold until {_day(until)}" if until else "Legal hold ended"
    if kind == "reminder_acknowledged":
        until = f" until {_day(change['until'])}" if change["until"] else ""
        return f"Reminder for the {change['document']} acknowledged{until}"
    if other := change.get("source") or change.get("into"):
        return f"{_words(kind)} {'with ' if kind == 'merged' else ''}{other}"
    if kind == "possible_duplicate_dismissed":
        verb = "dismissed" if change["dismissed"] else "listed again"
        return f"Possible duplicate {verb}: {change['other']}"
    undoing = f", undoing version {change['undoes']}" if change.get("undoes") else ""
    return (_KINDS.get(kind) or _words(kind)) + undoing + (" with:" if lists and kind == "registered" else "")


def _view(view: dict[str, Any], noun: str, personal: list[str]) -> dict[str, Any]:
    kind = "held" if view["route"].endswith("/held") else view["kind"]
    names = [_OF_PEOPLE.get(name) or _words(name) for name in view["fields"]]
    if personal and set(personal) <= set(view["fields"]):
        others = [_OF_PEOPLE.get(name) or _words(name) for name in view["fields"] if name not in personal]
        names = ["All personal fields", *others]
    return {"how": _VIEWS.get(kind, kind).format(noun=noun), "fields": ", ".join(names)}


def _words(name: str) -> str:
    """Return a JSON name in words: `Mobile number 1` for `mobile_number_1`."""
    parts = re.sub(r"[_.\s]+|(?<=[a-z])(?=[A-Z])", " ", name).split()
    words = " ".join(part.upper() if part in _CAPITALS else part.lower() for part in parts)
    return without_controls(words[:1].upper() + words[1:])


def _text(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return _EMPTY
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return without_controls(text)


def _moment(text: str) -> str:
    moment = datetime.fromisoformat(text).astimezone(UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def _day(text: str) -> str:
    day = date.fromisoformat(text)
    return f"{day.day} {day:%b %Y}"
