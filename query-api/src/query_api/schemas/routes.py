"""Routes that need no sign-in, for they show no data: tools fetch what they lead to without a token."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.http.problems import Problem
from ops.base.records.json_values import json_bytes
from projections.public_events.asyncapi.document import ASYNCAPI_PATH, asyncapi_document
from projections.public_events.envelope import SCHEMAS_PATH
from projections.public_events.names import schema_path
from projections.public_events.schemas import released_files, released_schemas
from query_api.http.openapi import query
from query_api.schemas.documents import CACHE_CONTROL, SCHEMA_JSON, PublicDocument

# For the description only: another name identifies no schema, which is 404 and not 422.
TypeName = Annotated[
    str, Path(description="Type of event", json_schema_extra={"enum": list(released_schemas())})
]
_SCHEMA: Final = {"type": "object", "required": ["$schema", "$id", "title", "type"]}
_ASYNCAPI: Final = ["asyncapi", "info", "servers", "channels", "operations", "components"]


class ListedSchema(Closed):
    """A reference to a schema."""

    type: str = Field(description="CloudEvents type")
    title: str
    description: str
    dataschema: str = Field(json_schema_extra={"format": "uri-reference"})


class SchemaList(Closed):
    """The references to all schemas."""

    content: list[ListedSchema]


def schema_routes(address: str) -> APIRouter:
    """Build the routes.

    Args:
        address: the product's public address; empty: not known.
    """
    router = direct_router(tags=["schemas"])
    schemas = {name: PublicDocument(text, SCHEMA_JSON) for name, text in released_files().items()}
    every = PublicDocument(json_bytes({"content": listed_schemas(address)}))
    document = asyncapi_document(address)
    asyncapi = PublicDocument(json_bytes(document))
    asyncapi_example = {
        name: {} if isinstance(document[name], dict) else document[name] for name in _ASYNCAPI
    }
    schema_example = {name: {"value": dict(schema)} for name, schema in list(released_schemas().items())[:1]}
    public = partial(query, router, cache_control=CACHE_CONTROL, waits=False, more={"security": []})

    @public(SCHEMAS_PATH, "list_schemas", SchemaList, known=listed_schemas(address)[0])
    async def read_list(request: Request) -> Response:
        """List the schemas of all public events and states.

        By their types, which CloudEvents have in `type`; old versions stay. Needs no sign-in.
        """
        return await every.answer(request)

    @public(
        f"{SCHEMAS_PATH}/{{type_name}}.json",
        "get_schema",
        {SCHEMA_JSON: {"schema": _SCHEMA, "examples": schema_example}},
    )
    async def read_schema(type_name: TypeName, request: Request) -> Response:
        """Return the JSON Schema of one type of event or state.

        It describes an event's `data`; its `dataschema` refers to it. Within a version members are only
        added. Needs no sign-in.
        """
        if type_name not in schemas:
            raise Problem(404, "not-found", "There is no such schema.")
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
    """Return what the list tells of each schema.

    Args:
        address: the product's public address; empty: not known, and references are relative.
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
