"""What is held about a record, as a page to print or to hand over."""

import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Final

_STYLE: Final = """
body { font: 11pt/1.4 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1c2127 }
h1 { font-size: 16pt } h2 { font-size: 13pt; margin-top: 2rem }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
th, td { border: 1px solid #c5cbd3; padding: .25rem .5rem; text-align: left; vertical-align: top }
th { background: #f6f7f9 } td { overflow-wrap: anywhere } tr { break-inside: avoid }
"""
_NOTHING: Final = "\N{EN DASH}"


def page_of(held: dict[str, Any]) -> str:
    """Return it as HTML that needs nothing besides.

    Args:
        held: see `held.held_about`.
    """
    record = (held["record"] or {}).items()
    changes = (
        (
            change["version"],
            change["moment"],
            change["type"].partition(".")[2].replace("_", " "),
            (change["actor"] or {}).get("name") or (change["actor"] or {}).get("sub"),
            change["reason"],
            _told_changes(change),
        )
        for change in held["changes"]
    )
    views = (
        (
            view["moment"],
            view["actor"]["name"] or view["actor"]["sub"],
            view["kind"],
            ", ".join(view["fields"]),
        )
        for view in held["seen_by"]
    )
    sections = {
        "As it is, or last was": _table(("Field", "Value"), record),
        "Every change": _table(("Version", "When", "What", "Who", "Why", "Fields"), changes),
        "Who has seen it, or may have": _table(("When", "Who", "In", "Fields"), views),
        "Where it is kept": _table(("Place", "What"), (place.values() for place in held["places"])),
    }
    return _page(held, sections)


def page_of_actor(held: dict[str, Any]) -> str:
    """Return what is held about somebody who acts, as such a page.

    Args:
        held: see `actors.KnownActors.held`.
    """
    names = (one.values() for one in held["names"])
    sections = {
        "What they are called, and were": _table(("Name", "Since"), names),
        "Where it is kept": _table(("Place", "What"), (place.values() for place in held["places"])),
    }
    return _page(held, sections)


def _page(held: dict[str, Any], sections: Mapping[str, Iterable[str]]) -> str:
    title = f"What is held about {held['entity']} {held['id']}"
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>',
            f"<h1>{escape(title)}</h1>",
            f"<p>Made {escape(held['made_at'])}. State: {escape(held['standing']['state'])}.</p>",
            *(line for head, table in sections.items() for line in (f"<h2>{head}</h2>", *table)),
            "</html>",
        ]
    )


def _told_changes(change: dict[str, Any]) -> str:
    return "; ".join(
        f"{one['field']}: {_text(one['from'])} → {_text(one['to'])}" for one in change["changes"]
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterable[str]:
    told = ["".join(f"<td>{escape(_text(value))}</td>" for value in row) for row in rows]
    if not told:
        return ["<p>Nothing.</p>"]
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return ["<table>", f"<tr>{head}</tr>", *(f"<tr>{row}</tr>" for row in told), "</table>"]


def _text(value: Any) -> str:
    if value is None or value == "":
        return _NOTHING
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
