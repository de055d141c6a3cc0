"""Where people save views of lists, each for themselves: whoever is signed in may."""

import re
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import Response

from command_api.http.openapi import json_body
from command_api.http.refusals import failure, not_found
from command_api.http.requests import read_json_object
from command_api.preferences.saved_views import SavedViews
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import answer_of, example_of, problem_responses
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.records.saved_views import (
    LIST_PATTERN,
    LONGEST_NAME,
    LONGEST_QUERY,
    MOST_VIEWS,
    QUERY_PATTERN,
    VIEWS_PATH,
    SavedView,
)
from ops.base.sign_in import Requires, VerifiedToken

PATH: Final = VIEWS_PATH + "/{view_id}"
_NO_STORE: Final = {"Cache-Control": "no-store"}
_ASKED: Final = ("list", "name", "query")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")

SignedIn = Annotated[VerifiedToken, Depends(Requires())]
# Only described: an id of another form names nothing, which is 404 and not 422.
ViewId = Annotated[str, Path(description="given by whoever saves it", json_schema_extra={"format": "uuid"})]


def view_routes() -> APIRouter:
    """Build the routes."""
    router = direct_router(tags=["views"])

    schema = SavedView.model_json_schema()
    schema["properties"] = {name: schema["properties"][name] for name in _ASKED}
    schema["required"] = list(_ASKED)
    no_store = {"Cache-Control": {"schema": {"type": "string", "const": "no-store"}}}

    @router.put(
        PATH,
        responses={200: answer_of(SavedView, "Saved", no_store), **problem_responses(409)},
        openapi_extra={"requestBody": json_body(schema, example_of(schema, {}))},
    )
    async def keep_view(view_id: ViewId, request: Request, token: SignedIn) -> Response:
        """Save a view of a list for the user.

        The client chooses the id: a view with that id is replaced, so retries are safe. The number of views
        of a list is limited. Views are not events of the log.
        """
        which, body = _id(view_id), await read_json_object(request)
        of_list, name, query = _read(body)
        try:
            view = await _views_of(request).keep(token.actor.sub, which, of_list, name, query)
        except KeysUnavailable as error:
            raise failure(error) from None
        if view is None:
            raise Problem(409, "too-many-views", f"There are {MOST_VIEWS} views of this list already.")
        return Response(view.model_dump_json(), 200, _NO_STORE, "application/json")

    @router.delete(PATH, status_code=204, responses={204: {"description": "Deleted, or not found"}})
    async def drop_view(view_id: ViewId, request: Request, token: SignedIn) -> Response:
        """Delete one of the user's saved views; retries are safe."""
        await _views_of(request).drop(token.actor.sub, _id(view_id))
        return Response(status_code=204)

    return router


def _views_of(request: Request) -> SavedViews:
    views: SavedViews = request.app.state.saved_views
    return views


def _id(text: str) -> UUID:
    """Return a view's id.

    Raises:
        Problem: 404, it is none.
    """
    try:
        return UUID(text)
    except ValueError:
        raise not_found() from None


def _read(body: dict[str, Any]) -> tuple[str, str, str]:
    """Return of which list a view is, what it is called, and what it asks for.

    Raises:
        Problem: 422, that is not what a view has.
    """
    of_list, name, query = (value if isinstance(value := body.get(key), str) else None for key in _ASKED)
    name = name and name.strip()
    errors = []
    if body.keys() - set(_ASKED):
        errors.append(ValidationError.at(message="There are fields that this does not have"))
    if of_list is None or not re.fullmatch(LIST_PATTERN, of_list):
        errors.append(ValidationError.at("list", message="Must be the name of a list"))
    if not name:
        errors.append(ValidationError.at("name", message="Name is required"))
    elif len(name) > LONGEST_NAME or _CONTROL.search(name):
        message = f"Must be one line of at most {LONGEST_NAME} characters"
        errors.append(ValidationError.at("name", message=message))
    if query is None or len(query) > LONGEST_QUERY or not re.fullmatch(QUERY_PATTERN, query):
        message = f"Must be an address's query of at most {LONGEST_QUERY} characters"
        errors.append(ValidationError.at("query", message=message))
    if errors or of_list is None or not name or query is None:
        raise validation_failed(errors)
    return of_list, name, query
