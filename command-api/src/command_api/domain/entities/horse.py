"""A horse: the tractor unit that pulls a trailer."""

from typing import Annotated, Any, Final

from pydantic import Field

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition, Details
from command_api.domain.marks import (
    Example,
    Filtered,
    FreeText,
    Note,
    PersonalData,
    PublicWord,
    Searched,
    Unique,
)
from command_api.domain.rules import JsonObject, Text
from ops.base.records.entities import EntityType

YES_OR_NO: Final = ("Yes", "No")


class HorseDetails(Details):
    """A horse (tractor unit)."""

    chassis_number: Annotated[
        str,
        Text("Chassis number is required"),
        Field(description="the maker's number of the chassis"),
        Searched(),
        Unique(),
        Example("MAT448061D2L12345"),
    ]
    engine_number: Annotated[
        str,
        Text("Engine number is required"),
        Field(description="the maker's number of the engine"),
        Searched(),
        Unique(),
        Example("ISBE5.9-21034567"),
    ]
    hired: Annotated[
        str | None,
        Text(),
        PublicWord(YES_OR_NO),
        Field(description="whether it is hired, such as `Yes`"),
        Filtered(),
        Example("No"),
    ] = None
    identifier: Annotated[
        str,
        Text("Identifier is required"),
        Field(description="what staff call it"),
        Searched(),
        Example("Prima 4928"),
    ]
    owner: Annotated[
        str | None, Text(), PersonalData(), Searched(in_list=False), Filtered(), Example("Sagar Transport")
    ] = None
    metadata: Annotated[
        dict[str, Any], JsonObject(null_means_empty=True), FreeText(), Example({"fuel": "diesel"})
    ] = Field(default_factory=dict)
    description: Annotated[Note, Example("Sleeper cabin")] = None


DEFINITION = Definition(
    EntityType("horse", "horses", "/api/v1/horses", None),
    HorseDetails,
    Aggregate,
    "HRS-3W8N1ZTB",
    id_prefix="HRS-",
    shows_times=True,
)
