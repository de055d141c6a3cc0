"""Masks over personal data, for those who may not see it: the write side's marks, as they were released.

What is masked is null, and named in `masked`: all that may be hidden is, whether there is a value or not, so
that nobody learns which fields are empty.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from ops.base.records.entities import EntityType
from ops.base.records.json_values import json_bytes

MASKED: Final = "masked"
"""The member that names what is masked."""
ERASED: Final = "erased"
"""The member that names what nobody can tell any more."""


_WHY: Final = {
    MASKED: "What is not shown: the access token does not permit `personal:read`, or it is restricted",
    ERASED: "What is not there any more: it was erased",
}


def is_personal(entity: EntityType | None, name: str) -> bool:
    """Tell whether a record's or a list's value of a name is personal data, or may be.

    Args:
        entity: the record's type; None: it is not known.
        name: of a member, or the path to what is in one.
    """
    return entity is None or name.partition(".")[0] not in entity.harmless


def masked_record(entity: EntityType, record: Mapping[str, Any], member: str = MASKED) -> dict[str, Any]:
    """Return a record, or a list's item, without personal data.

    Args:
        entity: the record's type.
        record: the record.
        member: what names that: `ERASED` where it is not there any more.
    """
    hidden = [name for name in record if name != member and is_personal(entity, name)]
    if not hidden:
        return dict(record)
    return {**record, **dict.fromkeys(hidden), member: hidden}


def without_personal_values(entity: EntityType, record: bytes) -> bytes:
    """Return a record as JSON with null for what is personal in it."""
    members = json.loads(record)
    return json_bytes({name: None if is_personal(entity, name) else of for name, of in members.items()})


def masked_body(entity: EntityType, body: bytes) -> bytes:
    """Return the body of a single record's answer without personal data: the same from both sides."""
    wrapped = json.loads(body)
    record = wrapped if entity.wrapper is None else wrapped[entity.wrapper]
    return json_bytes(entity.wrap(record and masked_record(entity, record)))


def masked_schema(entity: EntityType, schema: Mapping[str, Any], member: str = MASKED) -> dict[str, Any]:
    """Return the JSON Schema of what `masked_record` makes of what another schema describes."""
    properties = {
        name: {"type": "null"} if is_personal(entity, name) else of
        for name, of in schema["properties"].items()
    }
    hidden = [name for name in properties if is_personal(entity, name)]
    names = {
        "type": "array",
        "description": _WHY[member],
        "items": {"type": "string"},
    }
    return {
        **schema,
        "properties": {**properties, member: {**names, "minItems": len(hidden)}},
        "required": [*schema["required"], member],
    }
