"""A place of the business, possibly a private home: its address and coordinates are not public."""

from typing import Annotated, Final

from pydantic import Field

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition, Details
from command_api.domain.marks import Example, Filtered, PublicWord, Searched
from command_api.domain.rules import NumberBetween, OneOf, Text, TextOrNumber
from ops.base.records.entities import EntityType

LOCATION_TYPES: Final = ("REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT")


class LocationAttributes(Details):
    """Optional attributes of a location; `status` and `capacity` as in the samples."""

    city: Annotated[
        str | None, Text(), Field(description="town or city"), Searched(in_list=False), Example("Hosur")
    ] = None
    state: Annotated[
        str | None,
        Text(),
        Field(description="state or province of the country"),
        Searched(in_list=False),
        Example("Tamil Nadu"),
    ] = None
    postalCode: Annotated[  # noqa: N815 - the wire's name
        str | None, Text(), Field(description="postal code"), Searched(in_list=False), Example("635109")
    ] = None
    status: Annotated[str | None, Text(), Field(description="such as `Active`"), Example("Active")] = None
    capacity: Annotated[
        str | float | None,
        TextOrNumber(),
        Field(description="how much it holds: a number or a text, as entered, without a unit"),
        Example(120),
    ] = None


class LocationDetails(Details):
    """A place of the business, possibly a private home: its address and coordinates are not public."""

    name: Annotated[
        str,
        Text("Location name is required"),
        Field(description="what staff call it"),
        Searched(),
        Example("Hosur warehouse"),
    ]
    lat: Annotated[
        float,
        NumberBetween(-90, 90, "Latitude must be between -90 and 90"),
        Field(description="latitude, in degrees; north is positive (WGS 84)"),
        Example(12.7409),
    ]
    longitude: Annotated[
        float,
        NumberBetween(-180, 180, "Longitude must be between -180 and 180"),
        Field(description="longitude, in degrees; east is positive (WGS 84)"),
        Example(77.8253),
    ]
    country: Annotated[
        str,
        Text("Country is required"),
        Field(description="the country's name, as entered: no code"),
        Searched(in_list=False),
        Filtered(),
        Example("India"),
    ]
    location_type: Annotated[
        str,
        OneOf(LOCATION_TYPES),
        PublicWord(LOCATION_TYPES),
        Field(description="what the place is for"),
        Searched(in_list=False),
        Filtered(),
        Example("WAREHOUSE"),
    ] = "REGULAR"
    attributes: LocationAttributes = Field(
        default_factory=LocationAttributes, description="what else is known of it"
    )


DEFINITION = Definition(
    EntityType("location", "locations", "/api/locations", "location_by_pk"),
    LocationDetails,
    Aggregate,
    "LOC-5D2R6YVC",
    id_may_be_given=False,
    id_prefix="LOC-",
    shows_times=True,
)
