"""Errors as problem details (RFC 9457), with the `validation_errors` that the client reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class ValidationError:
    """A broken rule of a field, without the submitted value."""

    field: str
    """Dotted name, such as `attributes.city`; empty for the body as a whole."""
    message: str
    pointer: str
    """The same place as a JSON pointer in URI fragment form, such as `#/attributes/city`."""

    @classmethod
    def at(cls, *path: str | int, message: str) -> "ValidationError":
        """Build an error for the field at `path`, outermost name first."""
        escaped = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
        return cls(
            field=".".join(str(part) for part in path),
            message=message,
            pointer="#" + "".join(f"/{part}" for part in escaped),
        )


class Problem(Exception):
    """A refusal, which is answered with a problem document."""

    def __init__(
        self,
        status: int,
        slug: str,
        detail: str,
        *,
        validation_errors: Sequence[ValidationError] = (),
        headers: Mapping[str, str] | None = None,
        extensions: Mapping[str, Any] | None = None,
    ) -> None:
        """Create a refusal.

        Args:
            slug: stable machine-readable kind, the end of the problem's type URN.
            detail: sentence for users; must not contain client data.
        """
        super().__init__(detail)
        self.status = status
        self.slug = slug
        self.detail = detail
        self.validation_errors = tuple(validation_errors)
        self.headers = dict(headers or {})
        self.extensions = dict(extensions or {})


def validation_failed(errors: Sequence[ValidationError]) -> Problem:
    """The problem for a body that breaks rules: every broken rule at once."""
    return Problem(422, "validation-failed", "The request is not valid.", validation_errors=errors)


def unavailable(detail: str, *, retry_after: int = 1) -> Problem:
    """The problem for a service that cannot answer now; `retry_after` is in seconds."""
    return Problem(503, "unavailable", detail, headers={"Retry-After": str(retry_after)})


def problem_document(problem: Problem, request_id: str) -> dict[str, Any]:
    """Return the JSON members of a problem."""
    document: dict[str, Any] = {
        "type": f"urn:fleetlog:problem:{problem.slug}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "request_id": request_id,
        **problem.extensions,
    }
    if problem.validation_errors:
        document["validation_errors"] = [asdict(error) for error in problem.validation_errors]
    return document


def problem_response(problem: Problem, request_id: str) -> Response:
    """Render a problem as an HTTP response."""
    return Response(
        json.dumps(problem_document(problem, request_id), ensure_ascii=False),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=problem.headers,
    )
