"""The entity types of the product and the paths at which both APIs serve them."""

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class EntityType:
    """One kind of thing the fleet is made of."""

    name: str
    """Singular, as in stream names: `driver`."""
    collection: str
    """Plural, as in the read table's name: `drivers`."""
    path: str
    """Where both APIs serve the collection (specification, section 7)."""
    wrapper: str | None
    """Member under which a single record is answered; None: the record is answered bare."""

    def wrap(self, record: Any) -> Any:
        """Return the body of a single record's answer."""
        return record if self.wrapper is None else {self.wrapper: record}


DRIVER: Final = EntityType("driver", "drivers", "/api/v1/drivers", "driver_by_pk")
TRAILER: Final = EntityType("trailer", "trailers", "/api/v1/trailers", "trailer_by_pk")
HORSE: Final = EntityType("horse", "horses", "/api/v1/horses", None)
LOCATION: Final = EntityType("location", "locations", "/api/locations", "location_by_pk")

ENTITY_TYPES: Final = (DRIVER, TRAILER, HORSE, LOCATION)

ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""What an id may look like; `add` and `edit` are refused besides, for the frontend's routes use them."""

RESERVED_IDS: Final = frozenset({"add", "edit"})
