"""What a list may be sorted by, and what a search looks at."""

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

from projections.tables import DRIVERS, HORSES, LOCATIONS, TRAILERS, EntityTable

Kind = Literal["text", "number"]
"""How values are compared. Dates and times are texts that sort as what they stand for."""

SEARCHED: Final[Mapping[str, tuple[str, ...]]] = {
    DRIVERS.name: ("id", "name", "mobile_number_1", "mobile_number_2", "email_address", "city"),
    TRAILERS.name: (
        "id", "identifier", "trailer_registration_number", "owner_name", "type", "status", "currentLocation",
    ),
    HORSES.name: ("id", "identifier", "chassis_number", "engine_number", "owner"),
    LOCATIONS.name: (
        "id", "name", "country", "location_type",
        "attributes.city", "attributes.state", "attributes.postalCode",
    ),
}  # fmt: skip
"""By table: what staff look a record up by, all of it text. Bank, passport and licence numbers are left out:
what is searched for stands in addresses, which end in histories and logs."""


@cache
def sortable_fields(table: EntityTable) -> Mapping[str, Kind]:
    """Return the fields of a list's items that hold single values, in their order."""
    properties = table.list_item.model_json_schema()["properties"]
    kinds = {name: _kind(schema) for name, schema in properties.items()}
    return {name: kind for name, kind in kinds.items() if kind}


def _kind(schema: Mapping[str, object]) -> Kind | None:
    members = schema.get("anyOf", [schema])
    assert isinstance(members, list)  # noqa: S101 - as JSON Schema has it; for the type checker
    match {member.get("type", member.get("$ref")) for member in members} - {"null"}:
        case types if types == {"number"}:
            return "number"
        case types if types <= {"string", None}:  # None: of any type; counts where it is a text
            return "text"
        case _:
            return None
