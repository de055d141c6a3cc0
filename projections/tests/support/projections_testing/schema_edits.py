"""Random compatible and incompatible edits of schemas."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]

_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")


@st.composite
def compatible_edits(draw: st.DrawFn, schema: Schema) -> Schema:
    """Return a different schema that may replace the given one."""
    edited = copy.deepcopy(schema)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.sampled_from(list(_places(edited))))
        match draw(st.sampled_from(["text", "order", "member"])):
            case "text":
                place[draw(st.sampled_from(["title", "description", "$comment"]))] = draw(st.text(max_size=9))
            case "order":
                for keyword in ("required", "enum", "type"):
                    if isinstance(place.get(keyword), list):
                        place[keyword] = draw(st.permutations(place[keyword]))
            case _:
                closed = [one for one in _places(edited) if "properties" in one]
                members = draw(st.sampled_from(closed))["properties"]
                members[_new_name(draw, members)] = {"type": draw(st.sampled_from(_TYPES))}
    edited["$comment"] = "edited"
    return edited


@st.composite
def incompatible_edits(draw: st.DrawFn, schema: Schema) -> Schema:
    """Return a schema that must not replace the given one, for one reason."""
    edited = copy.deepcopy(schema)
    place, keyword = draw(st.sampled_from(list(_breakable(edited))))
    _break(draw, place, keyword)
    return edited


def _places(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and all nested schemas."""
    yield schema
    for member in schema.get("properties", {}).values():
        yield from _places(member)
    if "items" in schema:
        yield from _places(schema["items"])


def _breakable(schema: Schema) -> Iterator[tuple[Schema, str]]:
    for place in _places(schema):
        known = place.keys() - {"title", "description", "$comment"}
        if not place.get("properties"):
            known -= {"properties"}
        yield from ((place, keyword) for keyword in sorted(known))
        yield place, "new keyword"
        if "properties" in place:
            yield place, "newly required"


def _break(draw: st.DrawFn, place: Schema, keyword: str) -> None:
    match keyword:
        case "properties":
            _take_away_or_rename(draw, place["properties"])
        case "newly required":
            name = _new_name(draw, place["properties"])
            place["properties"][name] = {"type": "string"}
            place["required"] = [*place["required"], name]
        case "required":
            place["required"] = place["required"][1:] or ["another"]
        case "type":
            place["type"] = _other_types(draw, place["type"])
        case "enum":
            place["enum"] = draw(st.sampled_from([[*place["enum"], "another"], place["enum"][1:]]))
        case "new keyword":
            place["not"] = {"const": "x"}
        case _ if draw(st.booleans()):
            del place[keyword]
        case _:
            place[keyword] = {"type": ["array", "integer"]}


def _take_away_or_rename(draw: st.DrawFn, members: Schema) -> None:
    gone = members.pop(draw(st.sampled_from(sorted(members))))
    if draw(st.booleans()):
        members[_new_name(draw, members)] = gone


def _other_types(draw: st.DrawFn, before: str | list[str]) -> str | list[str]:
    """Return additional, fewer or other types."""
    types = before if isinstance(before, list) else [before]
    others = [name for name in _TYPES if name not in types]
    choices: list[str | list[str]] = [[*types, draw(st.sampled_from(others))], types[1:] or [others[0]]]
    return draw(st.sampled_from([*choices, others[0]]))


def _new_name(draw: st.DrawFn, members: Schema) -> str:
    names = st.text("abcdefgh", min_size=3, max_size=6).map("new_".__add__)
    return draw(names.filter(lambda name: name not in members))
