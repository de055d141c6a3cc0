"""Parameters, bodies and answers of possible duplicates."""

from typing import Annotated, Any, Final, Literal

from fastapi import Request
from pydantic import Field, TypeAdapter
from pydantic import ValidationError as Refusal

from ops.base.http.openapi import REFERENCE, Closed
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.http.request_context import header_of, read_body
from ops.base.http.strict_json import UnreadableJson, parse_object
from ops.base.records.json_values import json_bytes
from query_api.history.models import Actor, Moment
from query_api.http.parameters import YES_OR_NO, QueryParameters, one_of, whole_number
from query_api.paging.models import Page
from query_api.paging.view import MAX_PAGE
from read_model.matching.scores import MATCHED_TYPES

DEFAULT_SIZE: Final = 20
MAX_SIZE: Final = 100
MOST_ROWS: Final = 100
MOST_SUGGESTED: Final = 5
MAX_BYTES: Final = 256 * 1024
_MAX_NESTING: Final = 64
_MOST_ERRORS: Final = 100
Matched = Literal["driver", "horse", "trailer"]


class DuplicatesParameters(QueryParameters):
    """Query parameters of possible duplicates."""

    type: Annotated[Matched, one_of(*MATCHED_TYPES)] = Field(
        description="The entity type", examples=["horse"]
    )
    dismissed: Annotated[Literal["true", "false"], YES_OR_NO] = Field(
        "false", description="`true`: only dismissed pairs; `false`: only the others", examples=["false"]
    )
    page: Annotated[int, whole_number(0, MAX_PAGE)] = Field(
        0, description="Number of the page, from 0", examples=[0]
    )
    size: Annotated[int, whole_number(1, MAX_SIZE)] = Field(
        DEFAULT_SIZE, description="Maximum number of pairs", examples=[DEFAULT_SIZE]
    )


class RecordName(Closed):
    """A record."""

    id: str = Field(examples=["HRS-1"])
    name: str | None = Field(examples=["Prima 4928"])


class AlikeField(Closed):
    """A field in which both have a value."""

    name: str = Field(examples=["chassis_number"])
    first: str = Field(description="The value, as typed or stored", examples=["MAT448061D2LO2345"])
    second: str = Field(examples=["MAT448061D2L02345"])
    likeness: float = Field(ge=0, le=1, description="1: equal, apart from spelling", examples=[0.97])


class Alike(Closed):
    """How alike two records are."""

    score: float = Field(ge=0, le=1, description="The likelihood that they are doubles", examples=[0.93])
    exact: bool = Field(
        description="Whether a value is equal that no two records may share", examples=[False]
    )
    fields: list[AlikeField]


class Dismissal(Closed):
    """Who dismissed a pair; the reason is null without `history:read`."""

    moment: Moment
    actor: Actor | None
    reason: str | None = Field(examples=["Two brothers"])


class PossibleDuplicate(Alike):
    """Two records that may be of the same person or vehicle."""

    type: Matched
    first: RecordName
    second: RecordName
    dismissed: Dismissal | None


class PossibleDuplicates(Closed):
    """A page of possible duplicates."""

    content: list[PossibleDuplicate]
    page: Page


class WantedRow(Closed):
    """Values of a record that is being entered or edited."""

    id: str | None = Field(None, description="The edited record, which is left out")
    values: dict[str, Any] = Field(description="Values by field, as typed")


class Wanted(Closed):
    """Rows of one type."""

    type: Matched
    rows: list[WantedRow] = Field(max_length=MOST_ROWS)


class Suggestion(Alike):
    """An existing record; `first` of its fields is as typed, `second` as stored."""

    id: str = Field(examples=["HRS-1"])
    name: str | None = Field(examples=["Prima 4928"])


class Suggestions(Closed):
    """For each row, the likeliest existing records."""

    rows: list[Annotated[list[Suggestion], Field(max_length=MOST_SUGGESTED)]]


WANTED_BODY: Final = {
    "required": True,
    "content": {
        "application/json": {
            "schema": Wanted.model_json_schema(ref_template=REFERENCE),
            "example": {
                "type": "horse",
                "rows": [{"id": None, "values": {"chassis_number": "MAT448061D2LO2345"}}],
            },
        }
    },
}
_READER: Final = TypeAdapter(Wanted)
_MESSAGES: Final = {
    "missing": "This field is required",
    "extra_forbidden": "This field is not known",
    "literal_error": f"Must be one of {', '.join(MATCHED_TYPES)}",
    "too_long": f"Must have at most {MOST_ROWS} rows",
}


async def read_wanted(request: Request) -> Wanted:
    """Read the body of a request for suggestions.

    Raises:
        Problem: 415 for another content type, 413 for a body that is too long, 422 for another content.
    """
    if (header_of(request.scope, b"content-type") or "").partition(";")[
        0
    ].strip().lower() != "application/json":
        raise Problem(415, "unsupported-media-type", "Send application/json.")
    raw = await read_body(request, limit=MAX_BYTES)
    try:
        body = parse_object(raw, max_nesting=_MAX_NESTING)
        json_bytes(body)
    except UnreadableJson as error:
        raise validation_failed([ValidationError.at(message=str(error))]) from None
    except ValueError:
        raise validation_failed([ValidationError.at(message="Must not contain lone surrogates")]) from None
    try:
        return _READER.validate_python(body, strict=True)
    except Refusal as refusal:
        found = refusal.errors(include_url=False, include_context=False, include_input=False)[:_MOST_ERRORS]
        raise validation_failed(
            [
                ValidationError.at(*one["loc"], message=_MESSAGES.get(one["type"], "This value is not valid"))
                for one in found
            ]
        ) from None
