"""Masking of personal data for callers without permission, by the released declarations of the write side.

Masked values are null, and their names are listed in `masked`. Empty fields are masked too, so that the
answer does not reveal which fields are empty.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from ops.base.records.entities import EntityType
from ops.base.records.json_values import json_bytes

MASKED: Final = "masked"
"""Member with the names of masked fields."""
ERASED: Final = "erased"
"""Member with the names of erased fields."""


_WHY: Final = {
    MASKED: "Masked fields: the access token lacks `personal:read`, or the use of the data is restricted",
    ERASED: "Erased fields",
}


def is_personal(entity: EntityType | None, name: str) -> bool:
    """Return whether a member of a record or list may be personal data.

    Args:
        entity: the record's type; None: unknown.
    """
    return entity is None or name.partition(".")[0] not in entity.harmless


def masked_record(entity: EntityType, record: Mapping[str, Any], member: str = MASKED) -> dict[str, Any]:
    """Mask the personal data of a record or list item; `member` is `MASKED` or `ERASED`."""
    masked = [name for name in record if name != member and is_personal(entity, name)]
    if not masked:
        return dict(record)
    return {**record, **dict.fromkeys(masked), member: masked}


def without_personal_values(entity: EntityType, record: bytes) -> bytes:
    """Return a record as JSON, with null for its personal data."""
    members = json.loads(record)
    return json_bytes({name: None if is_personal(entity, name) else of for name, of in members.items()})


def masked_body(entity: EntityType, body: bytes) -> bytes:
    """Mask the body of an answer with a single record; both APIs answer the same bytes."""
    wrapped = json.loads(body)
    record = wrapped if entity.wrapper is None else wrapped[entity.wrapper]
    return json_bytes(entity.wrap(record and masked_record(entity, record)))


def masked_schema(entity: EntityType, schema: Mapping[str, Any], member: str = MASKED) -> dict[str, Any]:
    """Return the JSON Schema of a masked record, given the record's."""
    properties = {
        name: {"type": "null"} if is_personal(entity, name) else of
        for name, of in schema["properties"].items()
    }
    masked = [name for name in properties if is_personal(entity, name)]
    names = {
        "type": "array",
        "description": _WHY[member],
        "items": {"type": "string"},
    }
    return {
        **schema,
        "properties": {**properties, member: {**names, "minItems": len(masked)}},
        "required": [*schema["required"], member],
    }
