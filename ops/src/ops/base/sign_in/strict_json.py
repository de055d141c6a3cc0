"""JSON from strangers: what `json.loads` lets pass and a token must not contain."""

import json
from typing import Any, NoReturn


def parse_object(text: bytes, *, max_nesting: int) -> dict[str, Any]:
    """Parse a JSON object.

    Args:
        text: UTF-8 JSON.
        max_nesting: how many brackets may open in all. Counted before parsing (also inside strings), so
            that the parser never recurses deeper than that.

    Raises:
        ValueError: not JSON, not an object, too nested, a name twice in one object, NaN or Infinity.
    """
    if text.count(b"[") + text.count(b"{") > max_nesting:
        raise ValueError("too nested")
    match json.loads(text.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant):
        case dict() as members:
            return members
    raise ValueError("not an object")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name occurs twice")
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("not a JSON number")
