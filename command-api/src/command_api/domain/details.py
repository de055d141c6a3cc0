"""What is known of each entity: the specification's server names (section 3) and rules (section 5)."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from command_api.domain.personal_data import FreeText, PersonalData
from command_api.domain.publication import PublicDay, PublicNumber, PublicWord
from command_api.domain.rules import (
    LONG_TEXT,
    Date,
    Email,
    JsonObject,
    Number,
    NumberBetween,
    OneOf,
    Text,
    TextOrNumber,
)

LOCATION_TYPES: Final = ("REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT")

# Words that are published of fields in which staff may write anything.
TRAILER_TYPES: Final = (
    *("LOW_BED", "FLATBED", "CONTAINER", "TANKER"),
    *("REFRIGERATED", "SIDE_WALL", "TIPPER", "CAR_CARRIER"),
)
TRAILER_STATUSES: Final = ("Available", "In Use", "Maintenance", "Out of Service", "RUNNING")
OWNERSHIP_TYPES: Final = ("OWNED", "LEASED", "HIRED")
YES_OR_NO: Final = ("Yes", "No")


class Details(BaseModel):
    """Base of all details: closed, so that a misspelt field is refused rather than lost."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DriverDetails(Details):
    """A driver but for the employee number. All of it is about a person."""

    name: Annotated[str, Text("Driver name is required"), PersonalData()]
    address_1: Annotated[str, Text("Primary address is required"), PersonalData()]
    address_2: Annotated[str | None, Text(), PersonalData()] = None
    city: Annotated[str, Text("City is required"), PersonalData()]
    country: Annotated[str, Text("Country is required"), PersonalData()]
    mobile_number_1: Annotated[str, Text("Primary mobile number is required"), PersonalData()]
    mobile_number_2: Annotated[str | None, Text(), PersonalData()] = None
    email_address: Annotated[str, Email("Invalid email address"), PersonalData()]
    father_name: Annotated[str, Text("Father's name is required"), PersonalData()]
    passport_number: Annotated[str, Text("Passport number is required"), PersonalData()]
    passport_expiry_date: Annotated[str, Date("Passport expiry date is required"), PersonalData()]
    driving_license_number: Annotated[str, Text("Driving license number is required"), PersonalData()]
    driving_license_expiry: Annotated[str, Date("License expiry date is required"), PersonalData()]
    bank_account_number: Annotated[str, Text("Bank account number is required"), PersonalData()]
    bank_name: Annotated[str, Text("Bank name is required"), PersonalData()]
    bank_address: Annotated[str, Text("Bank address is required"), PersonalData()]
    ifsc_code: Annotated[str, Text("IFSC code is required"), PersonalData()]
    swift_code: Annotated[str | None, Text(), PersonalData()] = None


class TrailerDetails(Details):
    """A trailer; its owner may be a person, and its free text may name one."""

    identifier: Annotated[str, Text("Identifier is required"), Field(description="what staff call it")]
    trailer_registration_number: Annotated[str | None, Text(), Field(description="number plate")] = None
    owner_name: Annotated[str | None, Text(), PersonalData()] = None
    type: Annotated[
        str | None,
        Text(),
        PublicWord(TRAILER_TYPES),
        Field(description="kind of trailer, such as `LOW_BED`"),
    ] = None
    status: Annotated[
        str | None,
        Text(),
        PublicWord(TRAILER_STATUSES),
        Field(description="such as `RUNNING`; any text, for staff enter it freely"),
    ] = None
    capacity_tons: Annotated[
        float | None, Number(), PublicNumber(), Field(description="payload, in tons")
    ] = None
    axles: Annotated[float | None, Number(), PublicNumber(), Field(description="how many axles it has")] = (
        None
    )
    no_of_tyres: Annotated[
        float | None, Number(), PublicNumber(), Field(description="how many tyres it has")
    ] = None
    name_of_country: Annotated[
        str | None, Text(), Field(description="where it is registered, as entered: no code")
    ] = None
    purchase_date: Annotated[str | None, Date(), PublicDay(), Field(description="day, `YYYY-MM-DD`")] = None
    registered_at: Annotated[
        str | None,
        Date(),
        PublicDay(),
        Field(description="day of its registration with the authorities, `YYYY-MM-DD`"),
    ] = None
    ownership_type: Annotated[
        str | None, Text(), PublicWord(OWNERSHIP_TYPES), Field(description="such as `OWNED`")
    ] = None
    description_1: Annotated[str | None, Text(max_length=LONG_TEXT), FreeText()] = None
    description_2: Annotated[str | None, Text(max_length=LONG_TEXT), FreeText()] = None
    description_3: Annotated[str | None, Text(max_length=LONG_TEXT), FreeText()] = None
    description_4: Annotated[str | None, Text(max_length=LONG_TEXT), FreeText()] = None
    description_5: Annotated[str | None, Text(max_length=LONG_TEXT), FreeText()] = None
    data: Annotated[dict[str, Any] | None, JsonObject(), FreeText()] = None


class HorseDetails(Details):
    """A horse (tractor unit)."""

    chassis_number: Annotated[
        str, Text("Chassis number is required"), Field(description="the maker's number of the chassis")
    ]
    engine_number: Annotated[
        str, Text("Engine number is required"), Field(description="the maker's number of the engine")
    ]
    hired: Annotated[
        str | None,
        Text(),
        PublicWord(YES_OR_NO),
        Field(description="whether it is hired, such as `Yes`"),
    ] = None
    identifier: Annotated[str, Text("Identifier is required"), Field(description="what staff call it")]
    owner: Annotated[str | None, Text(), PersonalData()] = None
    metadata: Annotated[dict[str, Any], JsonObject(null_means_empty=True), FreeText()] = Field(
        default_factory=dict
    )
    description: Annotated[str | None, Text(max_length=LONG_TEXT), FreeText()] = None


class LocationAttributes(Details):
    """What a location may have besides its coordinates; `status` and `capacity` as in the samples."""

    city: Annotated[str | None, Text(), Field(description="town or city")] = None
    state: Annotated[str | None, Text(), Field(description="state or province of the country")] = None
    postalCode: Annotated[str | None, Text(), Field(description="postal code")] = None  # noqa: N815 - the wire's name
    status: Annotated[str | None, Text(), Field(description="such as `Active`")] = None
    capacity: Annotated[
        str | float | None,
        TextOrNumber(),
        Field(description="how much it holds: a number or a text, as entered, without a unit"),
    ] = None


class LocationDetails(Details):
    """A place of the business, which may be somebody's home: nothing that leads there is public."""

    name: Annotated[str, Text("Location name is required"), Field(description="what staff call it")]
    lat: Annotated[
        float,
        NumberBetween(-90, 90, "Latitude must be between -90 and 90"),
        Field(description="latitude, in degrees; north is positive (WGS 84)"),
    ]
    longitude: Annotated[
        float,
        NumberBetween(-180, 180, "Longitude must be between -180 and 180"),
        Field(description="longitude, in degrees; east is positive (WGS 84)"),
    ]
    country: Annotated[
        str, Text("Country is required"), Field(description="the country's name, as entered: no code")
    ]
    location_type: Annotated[
        str,
        OneOf(LOCATION_TYPES),
        PublicWord(LOCATION_TYPES),
        Field(description="what the place is for"),
    ] = "REGULAR"
    attributes: LocationAttributes = Field(
        default_factory=LocationAttributes, description="what else is known of it"
    )
