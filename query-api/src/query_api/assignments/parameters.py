"""Query parameters of intervals of assignments, and of records that are free."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeGuard

from pydantic import Field, ValidationInfo, field_validator

from query_api.history.parameters import INSTANT, MOMENT, AsOf
from query_api.http.parameters import (
    YES_OR_NO,
    AnyPlainText,
    BadParameter,
    not_together_with,
    parameter,
    plain_text,
)
from query_api.paging import parameters
from query_api.paging.parameters import ListParameters, only_for_pages
from read_model.tables import EntityTable

ASSIGNED: Final = ("driver", "horse", "trailer")
RECORDS: Final = (*ASSIGNED, "location")
_ONLY: Final = "Only intervals with this {}; if repeated, with any of them. With one of `driver`, `horse`,"
_ONLY_END: Final = (
    " `trailer`, `location`, `at` or `known_at`: all intervals that match, the latest start first"
)
_ALONE: Final = not_together_with("as_of", "whole_up_to", "sort", "q", "q_in")

_MOST_IDS: Final = 100


def _ids(texts: list[str]) -> tuple[str, ...]:
    if len(texts) > _MOST_IDS:
        raise BadParameter(f"May be given at most {_MOST_IDS} times")
    return tuple(map(plain_text, texts))


_IDS: Final = parameter(_ids, Annotated[list[AnyPlainText], Field(max_length=_MOST_IDS)])


class AssignmentParameters(ListParameters):
    """Query parameters of the list of assignments, and of their intervals."""

    driver: Annotated[tuple[str, ...], _IDS] = Field(
        (), description=_ONLY.format("driver") + _ONLY_END, examples=[["EMP-0042"]]
    )
    horse: Annotated[tuple[str, ...], _IDS] = Field(
        (), description="Only intervals with this horse, or any of several", examples=[["HRS-3W8N1ZTB"]]
    )
    trailer: Annotated[tuple[str, ...], _IDS] = Field(
        (), description="Only intervals with this trailer, or any of several", examples=[["TRL-7G4K9QXM"]]
    )
    location: Annotated[tuple[str, ...], _IDS] = Field(
        (),
        description="Only intervals that begin at this location, or any of several",
        examples=[["LOC-5D2R6YVC"]],
    )
    at: Annotated[datetime | None, INSTANT] = Field(
        None, description="Only intervals that hold at this instant (RFC 3339)", examples=[MOMENT]
    )
    until: Annotated[datetime | None, INSTANT] = Field(
        None,
        description="With `at`: intervals that hold at any instant from then until this one",
        examples=[MOMENT],
    )
    known_at: AsOf = Field(
        None,
        description="As recorded at this instant; otherwise as recorded now. Needs `history:read`, too",
        examples=[MOMENT],
    )

    names: Annotated[Literal["true", "false"], YES_OR_NO] = Field(
        "false", description="Intervals with the present names of their records", examples=["true"]
    )

    _alone = field_validator(*RECORDS, "at", "until", "known_at", "names", mode="before")(_ALONE)

    @field_validator("until", mode="after")
    @classmethod
    def _is_after(cls, until: datetime | None, info: Any) -> datetime | None:
        at = info.data.get("at")
        if until is not None and (at is None or at >= until):
            raise BadParameter("Must be after `at`, which must be given")
        return until


class FreeParameters(ListParameters):
    """Query parameters of the lists of records that can be assigned."""

    free_from: Annotated[datetime | None, INSTANT] = Field(
        None,
        description="With `free_until`: only records without an assignment at any instant from this one on",
        examples=[MOMENT],
    )
    free_until: Annotated[datetime | None, INSTANT] = Field(
        None,
        description="The end of the time from `free_from` on, not included",
        examples=["2999-01-01T00:00:00Z"],
    )

    _free_only_for_pages = field_validator("free_from", "free_until", mode="before")(only_for_pages)

    @field_validator("free_from", "free_until", mode="before")
    @classmethod
    def _have_both_ends(cls, text: Any, info: ValidationInfo) -> Any:
        if not {"free_from", "free_until"} <= (info.context or {}).keys():
            raise BadParameter("Must be given together with `free_from` and `free_until`")
        return text

    @field_validator("free_until", mode="after")
    @classmethod
    def _is_after(cls, until: datetime | None, info: ValidationInfo) -> datetime | None:
        since = info.data.get("free_from")
        if until is not None and since is not None and since >= until:
            raise BadParameter("Must be after `free_from`")
        return until


def parameters_of_list(table: EntityTable) -> type[ListParameters]:
    """Return the model of a table's list parameters, with those of intervals for assignments."""
    bases: dict[str, type[ListParameters]] = {
        "assignment": AssignmentParameters,
        **dict.fromkeys(ASSIGNED, FreeParameters),
    }
    return parameters.parameters_of_list(table, bases.get(table.entity.name, ListParameters))


def asks_for_intervals(params: ListParameters) -> TypeGuard[AssignmentParameters]:
    """Return whether intervals are wanted, and not the list."""
    wanted = isinstance(params, AssignmentParameters)
    return wanted and not params.model_fields_set.isdisjoint({*RECORDS, "at", "known_at", "names"})
