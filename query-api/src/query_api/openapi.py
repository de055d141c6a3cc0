"""What the descriptions of all queries share."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from ops.base.consistency import CONSISTENCY_HEADER, POSITION_COOKIE, POSITION_HEADER, STALE
from ops.base.openapi import problem_responses

_TEXT: Final = {"type": "string"}
CONSISTENCY: Final = {
    CONSISTENCY_HEADER: {
        "description": f"`{STALE}`: what was written is accepted, but not visible in this answer yet",
        "schema": {"type": "string", "enum": [STALE]},
    }
}
_HEADERS: Final = {
    "ETag": {"description": "Changes whenever the answer does", "schema": _TEXT},
    "Cache-Control": {"schema": {"type": "string", "const": "private, no-cache"}},
    "Vary": {"schema": _TEXT},
    "X-Request-Id": {"schema": _TEXT},
    **CONSISTENCY,
}
CONSISTENCY_PARAMETERS: Final = [
    {
        "name": "If-None-Match",
        "in": "header",
        "description": "ETags of answers that the client has",
        "schema": _TEXT,
        "example": '"3-5f0c0d3c8d9b-9f86d081884c"',
    },
    {
        "name": POSITION_HEADER,
        "in": "header",
        "description": "`<log id>:<position>` of a command's answer: wait, at most 2 s, until it can be read",
        "schema": _TEXT,
    },
    {
        "name": POSITION_COOKIE,
        "in": "cookie",
        "description": f"As {POSITION_HEADER}; the larger one counts",
        "schema": _TEXT,
    },
]
CURSOR: Final = {"type": "string", "pattern": "^[0-9]{1,15}$"}
"""Where a part begins; clients pass it on as it was told."""
NOT_MODIFIED: Final = {"description": "The client has it already", "headers": _HEADERS}
# Describing "default" also keeps FastAPI from promising a 422 of its own, which is never answered.
ANY_PROBLEM: Final = {**problem_responses(500)[500], "description": "Any other problem"}


def parameter(
    name: str, description: str, schema: dict[str, Any], examples: dict[str, Any]
) -> dict[str, Any]:
    """Describe a parameter of an address's query that may be left out.

    Args:
        name: its name.
        description: what it asks for.
        schema: what it may be.
        examples: by what they show.
    """
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description,
        "schema": schema,
        "examples": {label: {"value": value} for label, value in examples.items()},
    }


def found(
    answer: type[BaseModel] | Mapping[str, Any], example: Any, headers: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Describe an answer that has what was asked for.

    Args:
        answer: its shape: a model, or a JSON Schema.
        example: of such an answer.
        headers: that only this answer has.
    """
    schema = {"schema": answer} if isinstance(answer, Mapping) else {}
    return {
        **({} if schema else {"model": answer}),
        "description": "Found",
        "headers": {**_HEADERS, **(headers or {})},
        "content": {"application/json": {**schema, "example": example}},
    }


def part_parameters(*, default: int, maximum: int) -> list[dict[str, Any]]:
    """Describe `cursor`, `limit` and `order` of what is answered part by part.

    Args:
        default: how many a part has at most, where nothing is said.
        maximum: how many may be asked for.
    """
    return [
        parameter("cursor", "`next` of the part before", CURSOR, {"after the first": "1"}),
        parameter(
            "limit",
            f"How many at most; {default} by default",
            {"type": "integer", "minimum": 1, "maximum": maximum},
            {"few": 10},
        ),
        parameter(
            "order",
            "By default the oldest first",
            {"type": "string", "enum": ["asc", "desc"]},
            {"latest first": "desc"},
        ),
    ]
