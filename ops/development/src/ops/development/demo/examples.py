"""Values after the released example of an entity type, for fields without a generator of their own."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from ops.base.records.entities import EntityType
from ops.development.demo.draw import Draw

_EMPTY: Final = 0.2
"""Share of optional values that are left empty."""


def sent_fields(entity_type: EntityType) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of the fields that a command sends: all but the id and the server's own times."""
    fields: Mapping[str, Mapping[str, Any]] = entity_type.schema["properties"]
    return {
        name: schema
        for name, schema in fields.items()
        if name != "id" and schema.get("format") != "date-time"
    }


def completed(entity_type: EntityType, body: Mapping[str, Any], draw: Draw) -> dict[str, Any]:
    """Return a record with all declared fields and no others; those missing in the body are invented."""
    own_id = {"id": body["id"]} if "id" in body else {}
    return {**own_id, **_members(sent_fields(entity_type), entity_type.example, body, draw)}


def given_id(entity_type: EntityType, number: int) -> str:
    """Return an id like the example's, with another number."""
    return re.sub(r"\d*$", lambda digits: f"{number:0{len(digits[0])}}", entity_type.example["id"], count=1)


def like(schema: Mapping[str, Any], example: Any, draw: Draw) -> Any:
    """Invent a value of a field after an example."""
    if example is None or ("null" in schema.get("type", ()) and draw.happens(_EMPTY)):
        return None
    if choices := [False, True] if isinstance(example, bool) else schema.get("enum"):
        return draw.one_of(choices)
    match example:
        case int() | float():  # at most the example: a bound may exist
            return type(example)(example * draw.number(1, 100) / 100)
        case dict():
            return _members(schema.get("properties", {}), example, {}, draw) or example
        case str():
            return _text_like(schema.get("format"), example, draw)
        case _:
            return example


def _members(
    schemas: Mapping[str, Mapping[str, Any]],
    examples: Mapping[str, Any],
    given: Mapping[str, Any],
    draw: Draw,
) -> dict[str, Any]:
    made = {}
    for name, schema in schemas.items():
        if name not in given:
            made[name] = like(schema, examples.get(name), draw)
        elif isinstance(given[name], dict) and "properties" in schema:
            made[name] = _members(schema["properties"], examples[name], given[name], draw)
        else:
            made[name] = given[name]
    return made


def _text_like(form: str | None, example: str, draw: Draw) -> str:
    if form == "date":
        return draw.day(date.fromisoformat(example), -400, 400)
    if form == "email":
        return f"{draw.letters(8).lower()}@example.com"
    other = re.sub(r"\d", lambda _: draw.digits(1), example)
    return f"{example} {draw.number(1, 999)}" if other == example else other
