"""What answers show of people, and to whom: each is noted before it is sent."""

from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ops.base.access_log.views import ACTOR_NAME, PersonalContent, record_view
from ops.base.permissions import Permission
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import VerifiedToken
from query_api.history.wire import moment_text
from query_api.http.parameters import QueryParameters

OF_VIEWS: Final = (ACTOR_NAME, "filter")
"""What the access log says of people."""


def shown(
    request: Request,
    token: VerifiedToken,
    response: Response,
    showing: PersonalContent,
    *,
    of: str | None = None,
    asked: QueryParameters | None = None,
    count: int | None = None,
    masked: bool = False,
) -> Response:
    """Note what an answer shows, and return it to be sent.

    An answer that shows nothing is not noted: to HEAD, that nothing has changed, with masks, or without
    anything personal.

    Args:
        request: what is answered.
        token: who is asking.
        response: the answer.
        showing: what is in it.
        of: whose, where it is about one record: its id.
        asked: what the address's query says.
        count: how many rows or changes are in it, if anybody knows.
        masked: whether all that is personal in it is masked, for it is restricted.

    Raises:
        Problem: 503, it cannot be recorded, so it must not be sent.
    """
    if (
        response.status_code == 200
        and showing.fields
        and not masked
        and (showing.always or Permission.PERSONAL_READ in token.permissions)
    ):
        if request.method == "HEAD":
            # Lengths reveal the number of rows and the length of values, and no view is recorded.
            del response.headers["content-length"], response.headers["content-encoding"]
            return response
        record_view(
            *(request, token, showing),
            of=of,
            wanted=b"null" if asked is None or not asked.model_fields_set else _filter(asked),
            search=(asked and asked.looked_for) or None,
            count=count,
        )
    return response


@lru_cache(maxsize=256)  # models of what is asked are remembered as well
def _filter(asked: QueryParameters) -> bytes:
    return json_bytes({name: value for name, value in given(asked).items() if name not in asked.looks_for})


def forget_filters() -> None:
    """Remember nothing of what was asked."""
    _filter.cache_clear()


def given(asked: QueryParameters) -> dict[str, Any]:
    """Return what a query says, by its parameters' names, as it could be asked again."""
    names = {name: field.alias or name for name, field in type(asked).model_fields.items()}
    return {names[name]: _told(getattr(asked, name)) for name in names if name in asked.model_fields_set}


def _told(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, frozenset):
        return sorted(value)
    return ",".join(value) if isinstance(value, tuple) else value
