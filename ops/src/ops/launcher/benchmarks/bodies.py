"""What the load generator sends: bodies as large as those of real records, as templates (see `jobs`)."""

import json
from typing import Any, Final

from ops.launcher.benchmarks.jobs import UNIQUE

DRIVERS: Final = "/api/v1/drivers"
HORSES: Final = "/api/v1/horses"
LOCATIONS: Final = "/api/locations"

_DRIVER: Final = {
    "name": f"Driver {UNIQUE}",
    "address_1": f"14 {UNIQUE} Road",
    "address_2": "Near the old water tower",
    "city": "Bengaluru",
    "country": "India",
    "mobile_number_1": "+91 98450 12345",
    "mobile_number_2": "+91 80 2558 0000",
    "email_address": f"{UNIQUE}@example.com",
    "father_name": f"Father of {UNIQUE}",
    "passport_number": f"M{UNIQUE}",
    "passport_expiry_date": "2031-03-31",
    "driving_license_number": f"KA05 {UNIQUE}",
    "driving_license_expiry": "2029-08-14",
    "bank_account_number": f"0011{UNIQUE}",
    "bank_name": "Bank of the example",
    "bank_address": "2 Market Road, Bengaluru",
    "ifsc_code": "EXMP0000404",
    "swift_code": "EXMPINBBBFD",
}

_HORSE: Final = {
    "chassis_number": f"MAT{UNIQUE}",
    "engine_number": f"ISBE5.9-{UNIQUE}",
    "hired": "No",
    "identifier": f"Prima {UNIQUE}",
    "owner": f"Transport {UNIQUE}",
    "metadata": {"fuel": "diesel", "axles": 3},
    "description": f"Sleeper cabin, number {UNIQUE}",
}

_LOCATION: Final = {
    "name": f"Depot {UNIQUE}",
    "lat": 12.7409,
    "longitude": 77.8253,
    "country": "India",
    "location_type": "HUB",
    "attributes": {"city": "Hosur"},
}


def driver(entity_id: str | None = None) -> str:
    """A driver's body, with or without its id."""
    return _text(_DRIVER, entity_id)


def horse(entity_id: str | None = None) -> str:
    """A horse's body, with or without its id."""
    return _text(_HORSE, entity_id)


def location() -> str:
    """A location's body; its id is made for it."""
    return _text(_LOCATION, None)


def _text(details: dict[str, Any], entity_id: str | None) -> str:
    return json.dumps(details if entity_id is None else {"id": entity_id, **details})
