"""Routes that need no sign-in, for they show no data: tools fetch what they lead to without a token."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.problems import Problem
from ops.base.records.json_values import json_bytes
from projections.public_events.asyncapi.document import ASYNCAPI_PATH, asyncapi_document
from projections.public_events.envelope import SCHEMAS_PATH
from projections.public_events.names import schema_path
from projections.public_events.schemas import released_files, released_schemas
from query_api.http.openapi import add_query
from query_api.schemas import documentation
from query_api.schemas.documents import SCHEMA_JSON, PublicDocument


def schema_routes(address: str) -> APIRouter:
    """Build the routes.

    Args:
        address: the product's public address; empty: not known.
    """
    router = direct_router(tags=["schemas"])
    schemas = {name: PublicDocument(text, SCHEMA_JSON) for name, text in released_files().items()}
    every = PublicDocument(json_bytes({"content": listed_schemas(address)}))
    asyncapi = PublicDocument(json_bytes(asyncapi_document(address)))

    async def read_list(request: Request) -> Response:
        return await every.answer(request)

    async def read_schema(type_name: documentation.TypeName, request: Request) -> Response:
        if type_name not in schemas:
            raise Problem(404, "not-found", "There is no such schema.")
        return await schemas[type_name].answer(request)

    async def read_asyncapi(request: Request) -> Response:
        return await asyncapi.answer(request)

    for path, endpoint, description in (
        (SCHEMAS_PATH, read_list, documentation.of_list(listed_schemas(address)[:1])),
        (f"{SCHEMAS_PATH}/{{type_name}}.json", read_schema, documentation.of_schema()),
        (ASYNCAPI_PATH, read_asyncapi, documentation.of_asyncapi(asyncapi_document(address))),
    ):
        add_query(router, path, endpoint, description)
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
