"""What a record looks like in a list, where that is not the record itself."""

from typing import Any

from ops.base.entities import TRAILER, EntityType


def list_item(entity: EntityType, record: dict[str, Any]) -> dict[str, Any]:
    """Return a record as its list shows it."""
    return _trailer_list_item(record) if entity is TRAILER else record


def _trailer_list_item(record: dict[str, Any]) -> dict[str, Any]:
    """Add the names that the specification's list reads, in the order of its form's own fallbacks."""
    data = record["data"] if isinstance(record["data"], dict) else {}
    return {
        **record,
        "registrationNumber": record["trailer_registration_number"],
        "capacity": record["capacity_tons"],
        "assignedDriver": record["owner_name"],
        "currentLocation": data.get("currentLocation"),
        "lastMaintenance": data.get("lastMaintenance"),
    }
