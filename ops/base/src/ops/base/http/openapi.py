"""What the OpenAPI documents of both APIs share: problems and headers."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import FastAPI, Path
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from ops.base.http.consistency import POSITION_HEADER
from ops.base.http.problems import MEDIA_TYPE
from ops.base.permissions import Permission
from ops.base.records.entities import ID_PATTERN
from ops.base.sign_in.declared import needed_by
from ops.base.sign_in.dependency import SCHEME

# Only described: an id of another form names nothing, which is 404 and not 422.
EntityId = Annotated[str, Path(description="the record's id", json_schema_extra={"pattern": ID_PATTERN})]

Subject = Annotated[str, Path(description="the identity provider's permanent id of somebody who acts")]

PROBLEM_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "description": "Problem details (RFC 9457)",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string", "examples": ["urn:fleetlog:problem:validation-failed"]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "request_id": {"type": "string"},
        "validation_errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message", "pointer"],
                "properties": {
                    "field": {"type": "string", "examples": ["address_1"]},
                    "message": {"type": "string", "examples": ["Primary address is required"]},
                    "pointer": {"type": "string", "examples": ["#/address_1"]},
                },
            },
        },
        "missing_permissions": {
            "type": "array",
            "description": "With 403: what the access token does not permit, and this needs",
            "items": {"type": "string", "enum": list(Permission)},
        },
        "current_version": {"type": "integer", "description": "With 412: the version it is at now"},
        "changed_since": {
            "type": "array",
            "description": "With 412: who changed which fields since the version that was built on; empty"
            " where the data has been restored from a backup since",
            "items": {"type": "object"},
        },
        "changes_left_out": {
            "type": "integer",
            "description": "With 412: how many earlier changes since that version are not told",
        },
    },
}

ETAG: Final = {
    "ETag": {
        "description": "The record's version and what it is a version of, quoted: to be sent back as it is",
        "schema": {"type": "string"},
    }
}
POSITION: Final = {
    POSITION_HEADER: {
        "description": "Send it with a query to read what this answer tells of; browsers do, by cookie",
        "schema": {"type": "string"},
    }
}
_EXTRA_HEADERS: Final[dict[int, dict[str, Any]]] = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    403: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    429: {"Retry-After": {"description": "Seconds", "schema": {"type": "integer"}}},
    503: {"Retry-After": {"description": "Seconds", "schema": {"type": "integer"}}},
}


def header(name: str, description: str, schema: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Describe a request's header."""
    return {"name": name, "in": "header", "description": description, "schema": schema, **more}


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of the given error answers.

    Who must sign in may also be refused for having too much under way: 429 goes with 401.
    """
    if 401 in statuses:
        statuses = (*statuses, 429)
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "headers": _EXTRA_HEADERS.get(status, {}),
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }


def complete_openapi(app: FastAPI, schemas: Mapping[str, Any] | None = None) -> None:
    """Replace FastAPI's error schemas, which are never answered, by the problem schema.

    Args:
        app: whose document it is.
        schemas: further schemas that the document's own refer to, by name.
    """

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                openapi_version="3.1.0",
            )
            _tell_needs(schema["paths"], app.routes)
            components = schema.setdefault("components", {})
            known = components.setdefault("schemas", {})
            known.pop("HTTPValidationError", None)
            known.pop("ValidationError", None)
            known |= {"Problem": PROBLEM_SCHEMA, **(schemas or {})}
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _tell_needs(paths: dict[str, Any], routes: Iterable[BaseRoute]) -> None:
    """Say of each operation which permissions it needs.

    For schemes that know no scopes OpenAPI 3.1 has the names of roles there (Security Requirement Object).
    """
    for route in routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            needed = needed_by(route)
            ways = needed.ways if needed else []
            for method in (route.methods or ()) if any(ways) else ():
                operation = paths[route.path_format][method.lower()]
                operation["security"] = [{SCHEME: way} for way in ways]
                operation["responses"] |= {"403": problem_responses(403)[403]}
