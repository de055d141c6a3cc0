"""The shapes in which the read side serves records, for its OpenAPI document (specification, section 3).

Records are prepared as JSON text when events are projected and served as they are: nothing goes through
these models when a request is answered; tests hold the prepared text to them.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Date = Annotated[str, Field(description="`YYYY-MM-DD`", json_schema_extra={"format": "date"})]
Timestamp = Annotated[
    str,
    Field(description="RFC 3339, UTC, with milliseconds", json_schema_extra={"format": "date-time"}),
]
JsonObject = Annotated[dict[str, Any], Field(description="any JSON object")]


class DriverRecord(BaseModel):
    """A driver; the id is the employee number."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "id": "EMP-001",
                "name": "Harpreet Singh",
                "address_1": "14 Civil Lines",
                "address_2": "Near Clock Tower",
                "city": "Ludhiana",
                "country": "India",
                "mobile_number_1": "+91 98140 00000",
                "mobile_number_2": "+91 161 2400000",
                "email_address": "harpreet.singh@example.com",
                "father_name": "Gurdev Singh",
                "passport_number": "K1234567",
                "passport_expiry_date": "2031-05-17",
                "driving_license_number": "PB10 20190012345",
                "driving_license_expiry": "2029-03-02",
                "bank_account_number": "001234567890",
                "bank_name": "State Bank of India",
                "bank_address": "Mall Road, Ludhiana",
                "ifsc_code": "SBIN0000001",
                "swift_code": "SBININBB123",
            }
        },
    )

    id: str
    name: str
    address_1: str
    address_2: str | None
    city: str
    country: str
    mobile_number_1: str
    mobile_number_2: str | None
    email_address: str
    father_name: str
    passport_number: str
    passport_expiry_date: Date
    driving_license_number: str
    driving_license_expiry: Date
    bank_account_number: str
    bank_name: str
    bank_address: str
    ifsc_code: str
    swift_code: str | None


_TRAILER_EXAMPLE: dict[str, Any] = {
    "id": "TRL-7K2M9QXA",
    "identifier": "TR-17",
    "trailer_registration_number": "PB10 GK 4521",
    "owner_name": "Punjab Carriers",
    "type": "LOW_BED",
    "status": "RUNNING",
    "capacity_tons": 40,
    "axles": 4,
    "no_of_tyres": 16,
    "name_of_country": "India",
    "purchase_date": "2022-08-01",
    "registered_at": "2022-08-15",
    "ownership_type": "OWNED",
    "description_1": "Low bed, three lines of axles",
    "description_2": "Winch in front",
    "description_3": "Ramps at the back",
    "description_4": "Tarpaulin on board",
    "description_5": "Inspected in September",
    "data": {"currentLocation": "Ludhiana", "lastMaintenance": "2026-09-30"},
}


class TrailerRecord(BaseModel):
    """A trailer; only its identifier is required."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _TRAILER_EXAMPLE})

    id: str
    identifier: str
    trailer_registration_number: str | None
    owner_name: str | None
    type: str | None
    status: str | None
    capacity_tons: float | None
    axles: float | None
    no_of_tyres: float | None
    name_of_country: str | None
    purchase_date: Date | None
    registered_at: Date | None
    ownership_type: str | None
    description_1: str | None
    description_2: str | None
    description_3: str | None
    description_4: str | None
    description_5: str | None
    data: JsonObject | None


class TrailerListItem(TrailerRecord):
    """A trailer in a list: besides the record's own names, those that the specification's list reads."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                **_TRAILER_EXAMPLE,
                "registrationNumber": "PB10 GK 4521",
                "capacity": 40,
                "assignedDriver": "Punjab Carriers",
                "currentLocation": "Ludhiana",
                "lastMaintenance": "2026-09-30",
            }
        }
    )

    registrationNumber: str | None = Field(description="`trailer_registration_number`")  # noqa: N815
    capacity: float | None = Field(description="`capacity_tons`")
    assignedDriver: str | None = Field(description="`owner_name`")  # noqa: N815
    currentLocation: Any = Field(description="`currentLocation` in `data`, else null")  # noqa: N815
    lastMaintenance: Any = Field(description="`lastMaintenance` in `data`, else null")  # noqa: N815


class HorseRecord(BaseModel):
    """A horse: the tractor unit that pulls a trailer."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "id": "HRS-09",
                "chassis_number": "MAT448022K1A00009",
                "engine_number": "B5.9-180-20",
                "hired": "No",
                "identifier": "PB10-H-9",
                "owner": "Punjab Carriers",
                "metadata": {"colour": "white"},
                "description": "Long-haul tractor",
                "created_at": "2026-11-21T04:10:45.123Z",
                "updated_at": "2026-11-21T04:10:45.123Z",
            }
        },
    )

    id: str
    chassis_number: str
    engine_number: str
    hired: str | None
    identifier: str
    owner: str | None
    metadata: JsonObject
    description: str | None
    created_at: Timestamp
    updated_at: Timestamp


class LocationAttributes(BaseModel):
    """Where a location is, and what it can hold."""

    model_config = ConfigDict(extra="forbid")

    city: str | None
    state: str | None
    postalCode: str | None  # noqa: N815
    status: str | None
    capacity: str | float | None


class LocationRecord(BaseModel):
    """A place that vehicles go to."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "id": "LOC-4F8ZT1RB",
                "name": "Ludhiana Hub",
                "lat": 30.901,
                "longitude": 75.8573,
                "country": "India",
                "location_type": "HUB",
                "attributes": {
                    "city": "Ludhiana",
                    "state": "Punjab",
                    "postalCode": "141001",
                    "status": "Active",
                    "capacity": 120,
                },
                "created_at": "2026-11-21T04:10:45.123Z",
                "updated_at": "2026-11-21T04:10:45.123Z",
            }
        },
    )

    id: str
    name: str
    lat: float
    longitude: float
    country: str
    location_type: str = Field(description="`REGULAR`, `HUB`, `WAREHOUSE` or `SERVICE_POINT`")
    attributes: LocationAttributes
    created_at: Timestamp
    updated_at: Timestamp
