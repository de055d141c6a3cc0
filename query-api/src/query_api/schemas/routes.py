"""Routes to schemas and the AsyncAPI document; they show no data and need no sign-in."""

from functools import cache, partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.http.problems import Problem
from ops.base.records.json_values import json_bytes
from query_api.http.answers import etag_of, is_known, sent
from query_api.http.openapi import query
from query_api.http.representation import Body
from read_model.public_events.asyncapi import ASYNCAPI_PATH, asyncapi_document
from read_model.public_events.envelope import SCHEMAS_PATH, schema_path
from read_model.public_events.schemas import released_files, released_schemas

# The enumeration is only documented: an unknown name is answered with 404, not 422.
TypeName = Annotated[
    str, Path(description="Type of event", json_schema_extra={"enum": list(released_schemas())})
]
_SCHEMA: Final = {"type": "object", "required": ["$schema", "$id", "title", "type"]}
_ASYNCAPI: Final = ["asyncapi", "info", "servers", "channels", "operations", "components"]
_CACHE_CONTROL: Final = "public, max-age=300"
"""Shared caches may store the documents; five minutes after a release, all have the new ones."""
_SCHEMA_JSON: Final = "application/schema+json"


class _Document:
    """A document that is the same for all users until the next release."""

    def __init__(self, content: bytes, media_type: str = "application/json") -> None:
        self._body = Body(content)
        self._media_type = media_type
        self._headers = {
            "ETag": etag_of(content),
            "Cache-Control": _CACHE_CONTROL,
            "Vary": "Accept-Encoding",
        }

    async def answer(self, request: Request) -> Response:
        """Return 304 if the client has the document, otherwise 200."""
        if is_known(request, self._headers["ETag"]):
            return Response(status_code=304, headers=self._headers)
        return await sent(request, self._body, self._headers, self._media_type)


class ListedSchema(Closed):
    """The reference to a schema."""

    type: str = Field(description="CloudEvents type")
    title: str
    description: str
    dataschema: str = Field(json_schema_extra={"format": "uri-reference"})


class SchemaList(Closed):
    """The references to all schemas."""

    content: list[ListedSchema]


@cache
def schema_routes(address: str) -> APIRouter:
    """Build the routes.

    Args:
        address: the product's public address, or empty.
    """
    router = direct_router(tags=["schemas"])
    schemas = {name: _Document(text, _SCHEMA_JSON) for name, text in released_files().items()}
    every = _Document(json_bytes({"content": listed_schemas(address)}))
    document = asyncapi_document(address)
    asyncapi = _Document(json_bytes(document))
    asyncapi_example = {
        name: {} if isinstance(document[name], dict) else document[name] for name in _ASYNCAPI
    }
    schema_example = {name: {"value": dict(schema)} for name, schema in list(released_schemas().items())[:1]}
    public = partial(query, router, cache_control=_CACHE_CONTROL, waits=False, more={"security": []})

    @public(SCHEMAS_PATH, "list_schemas", SchemaList, known=listed_schemas(address)[0])
    async def read_list(request: Request) -> Response:
        """List the schemas of all public events and states.

        By their types, which CloudEvents have in `type`; old versions stay. Needs no sign-in.
        """
        return await every.answer(request)

    @public(
        f"{SCHEMAS_PATH}/{{type_name}}.json",
        "get_schema",
        {_SCHEMA_JSON: {"schema": _SCHEMA, "examples": schema_example}},
    )
    async def read_schema(type_name: TypeName, request: Request) -> Response:
        """Return the JSON Schema of one type of event or state.

        It describes an event's `data`; its `dataschema` refers to it. Within a version members are only
        added. Needs no sign-in.
        """
        if type_name not in schemas:
            raise Problem(404, "not-found", "The schema does not exist.")
        return await schemas[type_name].answer(request)

    @public(
        ASYNCAPI_PATH,
        "get_asyncapi",
        {
            "application/json": {
                "schema": {"type": "object", "required": _ASYNCAPI},
                "example": asyncapi_example,
            }
        },
    )
    async def read_asyncapi(request: Request) -> Response:
        """Return the AsyncAPI 3.0 document of the event stream.

        It describes topics, the feed, their messages, headers and keys. Needs no sign-in.
        """
        return await asyncapi.answer(request)

    return router


def listed_schemas(address: str) -> list[dict[str, str]]:
    """Return the list of schemas.

    Args:
        address: the product's public address; if empty, references are relative.
    """
    return [
        {
            "type": name,
            "title": schema["title"],
            "description": schema["description"],
            "dataschema": address + schema_path(name),
        }
        for name, schema in released_schemas().items()
    ]
