"""What records are called: by which of their fields, and whether that is personal."""

from typing import Final

from pydantic_core import from_json

from ops.base.records.entities import ENTITY_TYPES, EntityType
from ops.base.records.masks import is_personal

RECORD_NAME: Final = "record_name"
"""The member of answers that says what a record was called."""

_NAMING: Final = ("name", "identifier")


def _naming_field(entity: EntityType) -> str | None:
    return next((name for name in _NAMING if name in entity.schema["properties"]), None)


NAME_FIELDS: Final = {entity.name: field for entity in ENTITY_TYPES if (field := _naming_field(entity))}
"""By entity types, the field that people call a record by; some may have none."""
PERSONAL_NAMES: Final = {
    entity.name: field
    for entity in ENTITY_TYPES
    if (field := NAME_FIELDS.get(entity.name)) and is_personal(entity, field)
}
"""The same of those where it is personal."""


def name_in(entity: str, record: bytes) -> str | None:
    """Return what a record is called; None: nothing.

    Args:
        entity: the name of its type.
        record: as JSON.
    """
    name = from_json(record).get(NAME_FIELDS.get(entity))
    return name if isinstance(name, str) else None
