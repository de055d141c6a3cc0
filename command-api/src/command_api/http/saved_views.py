"""Saved views of lists, each user's own: encrypted, and not part of the log."""

import re
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Depends, Path, Request
from starlette.responses import Response

from command_api.database_calls import DatabaseCalls
from command_api.http.openapi import json_body
from command_api.http.requests import read_json_object
from command_api.http.responses import failure, not_found
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import answer_of, example_of, problem_responses
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.records.operations import moment_text
from ops.base.records.saved_views import (
    LIST_PATTERN,
    LONGEST_NAME,
    LONGEST_QUERY,
    MOST_VIEWS,
    QUERY_PATTERN,
    VIEWS_PATH,
    SavedView,
    encrypt_view,
)
from ops.base.sign_in import Requires, VerifiedToken

PATH: Final = VIEWS_PATH + "/{view_id}"
_NO_STORE: Final = {"Cache-Control": "no-store"}
_MEMBERS: Final = ("list", "name", "query")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SAVE: Final = "SELECT preferences.keep_view(%s::text, %s::uuid, %s::text, %s::text, %s::bytea, %s::integer)"
_DELETE: Final = "SELECT preferences.drop_view(%s::text, %s::uuid)"

SignedIn = Annotated[VerifiedToken, Depends(Requires())]
# The format is documented only: an id of another format is answered with 404, not 422.
ViewId = Annotated[str, Path(description="Chosen by the client", json_schema_extra={"format": "uuid"})]


class SavedViews(DatabaseCalls):
    """Stores and deletes views, for a role that may execute `preferences.keep_view` and `drop_view`."""

    async def save(self, sub: str, view_id: UUID, of_list: str, name: str, query: str) -> SavedView | None:
        """Save a view of a list, and replace an existing view with the id.

        Returns:
            The saved view; None if the user has the maximum number of views of this list.

        Raises:
            KeysUnavailable: the view cannot be encrypted now.
            psycopg.OperationalError: the database cannot be reached.
        """
        # A new key each time, so that an erasure can destroy the key of the former content.
        key = await KEYS.issue()
        ciphertext = encrypt_view(key, sub, view_id, name, query)
        changed_at = await self.call(_SAVE, sub, view_id, of_list, key.id, ciphertext, MOST_VIEWS)
        if changed_at is None:
            KEYS.put_back(key)
            return None
        return SavedView(
            id=str(view_id), list=of_list, name=name, query=query, changed_at=moment_text(changed_at)
        )

    async def delete(self, sub: str, view_id: UUID) -> None:
        """Delete a user's view, if it exists; raises `psycopg.OperationalError`."""
        await self.call(_DELETE, sub, view_id)


router = direct_router(tags=["views"])

_SCHEMA: Final = SavedView.model_json_schema()
_SCHEMA["properties"] = {name: _SCHEMA["properties"][name] for name in _MEMBERS}
_SCHEMA["required"] = list(_MEMBERS)
_NO_STORE_HEADER: Final = {"Cache-Control": {"schema": {"type": "string", "const": "no-store"}}}


@router.put(
    PATH,
    responses={200: answer_of(SavedView, "Saved", _NO_STORE_HEADER), **problem_responses(409)},
    openapi_extra={"requestBody": json_body(_SCHEMA, example_of(_SCHEMA, {}))},
)
async def keep_view(view_id: ViewId, request: Request, token: SignedIn) -> Response:
    """Save a view of a list for the user.

    The client chooses the id: a view with that id is replaced, so retries are safe. The number of views
    of a list is limited. Views are not events of the log.
    """
    views: SavedViews = request.app.state.saved_views
    uuid, body = _uuid(view_id), await read_json_object(request)
    try:
        view = await views.save(token.actor.sub, uuid, *_read(body))
    except KeysUnavailable as error:
        raise failure(error) from None
    if view is None:
        detail = f"You have {MOST_VIEWS} views of this list. Delete one to save another."
        raise Problem(409, "too-many-views", detail)
    return Response(view.model_dump_json(), 200, _NO_STORE, "application/json")


@router.delete(PATH, status_code=204, responses={204: {"description": "Deleted, or not found"}})
async def drop_view(view_id: ViewId, request: Request, token: SignedIn) -> Response:
    """Delete one of the user's saved views; retries are safe."""
    views: SavedViews = request.app.state.saved_views
    await views.delete(token.actor.sub, _uuid(view_id))
    return Response(status_code=204)


def _uuid(text: str) -> UUID:
    """Return the id of a view."""
    try:
        return UUID(text)
    except ValueError:
        raise not_found() from None


def _read(body: dict[str, Any]) -> tuple[str, str, str]:
    """Return the list, the name and the query of a view."""
    of_list, name, query = (value if isinstance(value := body.get(key), str) else None for key in _MEMBERS)
    name = name and name.strip()
    errors = []
    if body.keys() - set(_MEMBERS):
        errors.append(ValidationError.at(message="Only list, name and query are allowed"))
    if of_list is None or not re.fullmatch(LIST_PATTERN, of_list):
        errors.append(ValidationError.at("list", message="Must be the name of a list"))
    if not name:
        errors.append(ValidationError.at("name", message="Name is required"))
    elif len(name) > LONGEST_NAME or _CONTROL.search(name):
        message = f"Must be one line of at most {LONGEST_NAME} characters"
        errors.append(ValidationError.at("name", message=message))
    if query is None or len(query) > LONGEST_QUERY or not re.fullmatch(QUERY_PATTERN, query):
        message = f"Must be a URL query of at most {LONGEST_QUERY} characters"
        errors.append(ValidationError.at("query", message=message))
    if errors or of_list is None or not name or query is None:
        raise validation_failed(errors)
    return of_list, name, query
