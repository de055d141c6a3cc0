"""What the descriptions of all queries share."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

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
NOT_MODIFIED: Final = {"description": "The client has it already", "headers": _HEADERS}
# Describing "default" also keeps FastAPI from promising a 422 of its own, which is never answered.
ANY_PROBLEM: Final = {**problem_responses(500)[500], "description": "Any other problem"}


class Closed(BaseModel):
    """An answer's shape, in which there is nothing else."""

    model_config = ConfigDict(extra="forbid")


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


def operation(
    name: str,
    summary: str,
    answer: dict[str, Any],
    *,
    description: str | None = None,
    parameters: list[dict[str, Any]] = CONSISTENCY_PARAMETERS,
    may_be_missing: bool = False,
) -> dict[str, Any]:
    """Describe GET of something, as a route takes it; what its query may say, its endpoint declares.

    Args:
        name: its operation id.
        summary: what it gives.
        answer: what it answers, as `found` has it.
        description: more about it.
        parameters: its headers and cookies.
        may_be_missing: whether there may be no such thing.
    """
    missing = {404: {**problem_responses(404)[404], "headers": CONSISTENCY}} if may_be_missing else {}
    return {
        "name": name,
        "summary": summary,
        "description": description,
        "responses": {
            200: answer,
            304: NOT_MODIFIED,
            **problem_responses(401, 422, 503),
            **missing,
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": parameters},
    }


def add_query(
    router: APIRouter, path: str, endpoint: Callable[..., Awaitable[Response]], description: dict[str, Any]
) -> None:
    """Add a query's route: it answers HEAD, which is GET without a body, too; the document describes GET."""
    router.add_api_route(path, endpoint, methods=["GET", "HEAD"], include_in_schema=False)
    router.add_api_route(path, endpoint, methods=["GET"], **description)
