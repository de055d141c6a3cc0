"""Routes that call their endpoints directly."""

from typing import Annotated, Any

import httpx
import pytest
from fastapi import Body, Depends, FastAPI, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse

from ops.base.http.direct_routes import add_routes, direct_router
from ops.base.http.openapi import EntityId
from ops.testing.http_servers import serve


async def sender(request: Request) -> str:
    """Return who sends a request."""
    return request.headers["x-sender"]


async def nested(name: Annotated[str, Depends(sender)]) -> str:
    """A dependency with a dependency."""
    return name


Sender = Annotated[str, Depends(sender)]


async def test_endpoint_receives_declared_parameters() -> None:
    asked: list[str] = []

    async def asking(request: Request) -> None:
        asked.append(request.url.path)

    async def answer(entity_id: EntityId, request: Request, name: Sender) -> Response:
        return PlainTextResponse(f"{request.method} {entity_id} {name}")

    async def past(entity_id: EntityId) -> Response:
        return PlainTextResponse(f"what {entity_id} was")

    async def alone() -> Response:
        return Response(status_code=204)

    router = direct_router(dependencies=[Depends(asking)])
    router.add_api_route("/things/{entity_id}", answer, methods=["GET", "HEAD"])
    router.add_api_route("/things/{entity_id}/past", past)
    router.add_api_route("/things/{entity_id}.json", past)
    router.add_api_route("/nothing", alone, methods=["POST"])
    app = FastAPI()
    add_routes(app, router)
    async with serve(app) as origin, httpx.AsyncClient(base_url=origin, trust_env=False) as client:
        got = await client.get("/things/7%20a", headers={"X-Sender": "Asha"})
        assert (got.status_code, got.text) == (200, "GET 7 a Asha")
        assert (await client.post("/nothing")).status_code == 204
        refused = await client.delete("/things/7")
        assert (refused.status_code, set(refused.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})
        assert (await client.get("/things/7/past")).text == "what 7 was"
        assert (await client.get("/things/7.json", headers={"X-Sender": "Asha"})).text == "GET 7.json Asha"
        for path in ("/things/7/8", "/things/", "/things//past", "/things/7/8/past"):
            assert (path, (await client.get(path)).status_code) == (path, 404)
    assert asked == ["/things/7 a", "/nothing", "/things/7/past", "/things/7.json"]


class Words(BaseModel):
    """A query model that parses the request itself."""

    word: Annotated[str | None, Field(description="Any", max_length=3)] = None

    @classmethod
    def of(cls, request: Request) -> "Words":
        """Read more than the declared model would let through."""
        return Words.model_construct(word=request.url.query)


async def test_query_model_is_parsed_and_documented() -> None:
    async def answer(asked: Annotated[Words, Query()]) -> Response:
        return PlainTextResponse(asked.word)

    router = direct_router()
    router.add_api_route("/words", answer, methods=["GET"], response_model=None)
    app = FastAPI()
    add_routes(app, router)
    async with serve(app) as origin, httpx.AsyncClient(base_url=origin, trust_env=False) as client:
        assert (await client.get("/words?word=long&more")).text == "word=long&more"
    (described,) = app.openapi()["paths"]["/words"]["get"]["parameters"]
    assert (described["name"], described["in"], described["description"]) == ("word", "query", "Any")


async def of_query(text: Annotated[str, Query()]) -> Response:
    return Response()


class Unread(BaseModel):
    """A model that cannot read itself."""


async def of_unread(asked: Annotated[Unread, Query()]) -> Response:
    return Response()


async def of_undeclared(text: str) -> Response:
    return Response()


async def of_body(text: Annotated[str, Body()]) -> Response:
    return Response()


async def of_response(response: Response) -> Response:
    return Response()


async def of_nested(name: Annotated[str, Depends(nested)]) -> Response:
    return Response()


@pytest.mark.parametrize("endpoint", [of_query, of_unread, of_undeclared, of_body, of_response, of_nested])
def test_endpoint_with_unsupported_parameters_is_refused(endpoint: Any) -> None:
    with pytest.raises(TypeError, match="wants more"):
        direct_router().add_api_route("/", endpoint, response_model=None)
