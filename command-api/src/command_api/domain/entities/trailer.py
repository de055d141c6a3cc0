"""A trailer; its owner may be a person, and its free text may name one."""

from typing import Annotated, Any, Final

from pydantic import Field

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition, Details
from command_api.domain.marks import (
    Example,
    Filtered,
    FreeText,
    Listed,
    Note,
    PersonalData,
    PublicDay,
    PublicNumber,
    PublicWord,
    Searched,
    Unique,
)
from command_api.domain.rules import Date, JsonObject, Number, Text
from ops.base.records.entities import EntityType

# The public words of fields that may contain any text.
TRAILER_TYPES: Final = (
    *("LOW_BED", "FLATBED", "CONTAINER", "TANKER"),
    *("REFRIGERATED", "SIDE_WALL", "TIPPER", "CAR_CARRIER"),
)
TRAILER_STATUSES: Final = ("Available", "In Use", "Maintenance", "Out of Service", "RUNNING")
OWNERSHIP_TYPES: Final = ("OWNED", "LEASED", "HIRED")


class TrailerDetails(Details):
    """A trailer; its owner may be a person, and its free text may name one."""

    # `Listed` gives the names that the specification's list reads.

    identifier: Annotated[
        str,
        Text("Identifier is required"),
        Field(description="what staff call it"),
        Searched(),
        Example("Low bed 7"),
    ]
    trailer_registration_number: Annotated[
        str | None,
        Text(),
        Field(description="number plate"),
        Searched(),
        Unique(),
        Listed("registrationNumber"),
        Example("KA01AB1234"),
    ] = None
    owner_name: Annotated[
        str | None,
        Text(),
        PersonalData(),
        Searched(in_list=False),
        Listed("assignedDriver"),
        Example("Sagar Transport"),
    ] = None
    type: Annotated[
        str | None,
        Text(),
        PublicWord(TRAILER_TYPES),
        Field(description="kind of trailer, such as `LOW_BED`"),
        Searched(),
        Filtered(),
        Example("LOW_BED"),
    ] = None
    status: Annotated[
        str | None,
        Text(),
        PublicWord(TRAILER_STATUSES),
        Field(description="such as `RUNNING`; any text, for staff enter it freely"),
        Searched(in_list=False),
        Filtered(),
        Example("RUNNING"),
    ] = None
    capacity_tons: Annotated[
        float | None,
        Number(),
        PublicNumber(),
        Field(description="payload, in tons"),
        Listed("capacity"),
        Example(40),
    ] = None
    axles: Annotated[
        float | None, Number(), PublicNumber(), Field(description="how many axles it has"), Example(3)
    ] = None
    no_of_tyres: Annotated[
        float | None, Number(), PublicNumber(), Field(description="how many tyres it has"), Example(12)
    ] = None
    name_of_country: Annotated[
        str | None, Text(), Field(description="where it is registered, as entered: no code"), Example("India")
    ] = None
    purchase_date: Annotated[
        str | None, Date(), PublicDay(), Field(description="day, `YYYY-MM-DD`"), Example("2021-05-10")
    ] = None
    registered_at: Annotated[
        str | None,
        Date(),
        PublicDay(),
        Field(description="day of its registration with the authorities, `YYYY-MM-DD`"),
        Example("2021-06-01"),
    ] = None
    ownership_type: Annotated[
        str | None,
        Text(),
        PublicWord(OWNERSHIP_TYPES),
        Field(description="such as `OWNED`"),
        Filtered(),
        Example("OWNED"),
    ] = None
    description_1: Annotated[Note, Example("Hydraulic ramps, refitted in 2024")] = None
    description_2: Annotated[Note, Example("Spare wheel on the left")] = None
    description_3: Annotated[Note, Example("Insured until March 2027")] = None
    description_4: Annotated[Note, Example("Tarpaulin: 12 m")] = None
    description_5: Annotated[Note, Example("Brake check every 20,000 km")] = None
    data: Annotated[
        dict[str, Any] | None,
        JsonObject(),
        FreeText(),
        Searched("currentLocation"),
        Listed("currentLocation", "currentLocation"),
        Listed("lastMaintenance", "lastMaintenance"),
        Example({"currentLocation": "Hosur", "lastMaintenance": "2026-10-02"}),
    ] = None


DEFINITION = Definition(
    EntityType("trailer", "trailers", "/api/v1/trailers", "trailer_by_pk"),
    TrailerDetails,
    Aggregate,
    "TRL-7G4K9QXM",
    id_may_be_given=False,
    id_prefix="TRL-",
)
