"""Recording of the personal data that answers show, before they are sent."""

from datetime import date, datetime
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
"""Personal data in the access log itself."""


def disclose(
    request: Request,
    token: VerifiedToken,
    response: Response,
    showing: PersonalContent,
    *,
    of: str | None = None,
    params: QueryParameters | None = None,
    count: int | None = None,
    masked: bool = False,
) -> Response:
    """Record what an answer shows, and return it.

    Answers without visible personal data are not recorded: answers to HEAD, 304, and masked answers.

    Args:
        showing: the kind of answer, and its personal fields.
        of: the record's id, if the answer is about one record.
        masked: whether the answer is masked because its record is restricted.

    Raises:
        Problem: 503, the view cannot be recorded, so the answer must not be sent.
    """
    if (
        response.status_code == 200
        and showing.fields
        and not masked
        and (showing.always or Permission.PERSONAL_READ in token.permissions)
    ):
        if request.method == "HEAD":
            # Lengths reveal the number of rows and the length of values, but no view is recorded for HEAD.
            del response.headers["content-length"], response.headers["content-encoding"]
            return response
        shown = {} if params is None else _given(params)
        wanted = {name: value for name, value in shown.items() if params and name not in params.sensitive}
        record_view(
            *(request, token, showing),
            of=of,
            wanted=json_bytes(wanted) if shown else b"null",
            search=(params and params.sensitive_text) or None,
            count=count,
        )
    return response


def _given(params: QueryParameters) -> dict[str, Any]:
    """Return the given parameters by their public names, as the access log records them."""
    names = {name: field.alias or name for name, field in type(params).model_fields.items()}
    return {
        names[name]: _json_value(getattr(params, name)) for name in names if name in params.model_fields_set
    }


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, frozenset):
        return sorted(value)
    return ",".join(value) if isinstance(value, tuple) else value
