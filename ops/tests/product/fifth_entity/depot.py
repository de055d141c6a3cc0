"""A depot, where the fleet is parked at night; its manager is a person."""

from typing import Annotated, Final

from pydantic import Field

from command_api.domain.aggregate import Aggregate, RuleBroken
from command_api.domain.definition import Definition, Details
from command_api.domain.events import EventMetadata, Removed
from command_api.domain.marks import Example, PersonalData, PublicNumber, PublicWord, Searched
from command_api.domain.rules import Number, OneOf, Text
from ops.base.records.entities import EntityType

DEPOT_STATUSES: Final = ("OPEN", "CLOSED")


class DepotDetails(Details):
    """A depot, where the fleet is parked at night; its manager is a person."""

    name: Annotated[
        str,
        Text("Depot name is required"),
        Field(description="what staff call it"),
        Searched(),
        Example("Hosur yard"),
    ]
    manager: Annotated[str | None, Text(), PersonalData(), Example("Meena Iyer")] = None
    number_of_docks: Annotated[
        float | None,
        Number(),
        PublicNumber(),
        Field(description="how many vehicles can load at once"),
        Example(12),
    ] = None
    status: Annotated[
        str,
        OneOf(DEPOT_STATUSES),
        PublicWord(DEPOT_STATUSES),
        Field(description="whether the depot is in use"),
        Example("OPEN"),
    ] = "OPEN"


class Depot(Aggregate):
    """Decisions about a depot."""

    def remove(self, metadata: EventMetadata) -> Removed | None:
        """Decide a removal, which is refused for an open depot."""
        if self.state is not None and self.state.details["status"] == "OPEN":
            raise RuleBroken("A depot that is open cannot be removed")
        return super().remove(metadata)


DEFINITION = Definition(
    EntityType("depot", "depots", "/api/v1/depots", "depot_by_pk"),
    DepotDetails,
    Depot,
    "DEP-4H7M2XKQ",
    id_may_be_given=False,
    id_prefix="DEP-",
)
