"""What the load generator sends: records like the released examples, as templates (see `jobs`)."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from ops.base.entities import entity_type
from ops.development.benchmarks.jobs import UNIQUE

DRIVERS: Final = entity_type("driver").path
HORSES: Final = entity_type("horse").path
_FORMER: Final = "before the change"


def body(entity: str, entity_id: str | None = None, *, former: bool = False) -> str:
    """Return a record's body, with or without its id.

    Args:
        entity: its entity type.
        entity_id: its id.
        former: whether it differs from the others, so that they are a change of it.
    """
    released = entity_type(entity)
    details = {
        name: _value(released.schema["properties"][name], value)
        for name, value in released.example.items()
        if name != "id" and released.schema["properties"][name].get("format") != "date-time"
    }
    if former:
        details[next(name for name, value in details.items() if f" {UNIQUE}" in str(value))] = (
            f"{UNIQUE} {_FORMER}"
        )
    return json.dumps(details if entity_id is None else {"id": entity_id, **details})


def _value(schema: Mapping[str, Any], example: Any) -> Any:
    """Return a value as large as the example; names and numbers of papers are no other record's."""
    form = schema.get("format")
    if form == "email":
        return f"{UNIQUE}@example.com"
    varies = schema["type"] == "string" and "enum" not in schema and form is None
    return f"{example} {UNIQUE}" if varies and re.search(r"\d| ", example) else example
