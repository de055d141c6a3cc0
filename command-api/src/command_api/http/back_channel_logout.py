"""The identity provider's notification of sign-outs (OpenID Connect Back-Channel Logout 1.0)."""

from typing import Final
from urllib.parse import parse_qsl

import structlog
from fastapi import Request
from prometheus_client import Counter
from pydantic import BaseModel, Field
from starlette.responses import Response

from command_api.database_calls import DatabaseCalls
from command_api.sign_outs import REVOKE
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import problem_responses
from ops.base.http.problems import Problem, unavailable
from ops.base.http.request_context import header_of, read_body
from ops.base.sign_in import InvalidToken, SigningKeysUnavailable
from ops.base.sign_in.revocations import Revocations
from ops.base.sign_in.verifier import TokenVerifier

PATH: Final = "/api/v1/back-channel-logout"
_FORM: Final = "application/x-www-form-urlencoded"
_MAX_BYTES: Final = 16 * 1024
_NO_STORE: Final = {"Cache-Control": "no-store"}
_ORIGIN: Final = "provider"
_LOGOUTS: Final = Counter(
    "fleetlog_back_channel_logouts_total", "Logout tokens that the identity provider sent", ["outcome"]
)
for _outcome in (
    "accepted",
    "refused",
):  # export zeros, so that the first count is an increase
    _LOGOUTS.labels(_outcome)

logger = structlog.get_logger()


class LogoutForm(BaseModel):
    """The identity provider's form."""

    logout_token: str = Field(min_length=1)


router = direct_router(tags=["sign-in"])


@router.post(
    PATH,
    responses={
        200: {
            "description": "Accepted",
            "headers": {"Cache-Control": {"schema": {"type": "string"}}},
        },
        **problem_responses(400, 413, 503),
    },
    openapi_extra={
        "security": [],  # the logout token is signed
        "requestBody": {"required": True, "content": {_FORM: {"schema": LogoutForm.model_json_schema()}}},
    },
)
async def back_channel_logout(request: Request) -> Response:
    """Revoke the access tokens of a session or of a user, for the identity provider.

    OpenID Connect Back-Channel Logout 1.0. If the logout token names a session, its access tokens are
    refused; else all of the subject's that were issued before. Retries change nothing.
    """
    verifier: TokenVerifier = request.app.state.token_verifier
    calls: DatabaseCalls = request.app.state.calls
    revocations: Revocations = request.app.state.revocations
    try:
        logout = await verifier.verify_logout(await _logout_token(request))
    except InvalidToken as error:
        _LOGOUTS.labels("refused").inc()
        logger.info("logout_token_refused", reason=error.reason)
        raise _invalid("The logout token is invalid.") from error
    except SigningKeysUnavailable as error:
        raise unavailable("Logout tokens cannot be checked now. Try again.", retry_after=5) from error
    named = (logout.subject, logout.session)
    if not revocations.covers(*named, logout.issued_at):
        await calls.call(REVOKE, *named, logout.issued_at, _ORIGIN)
    _LOGOUTS.labels("accepted").inc()
    return Response(headers=_NO_STORE)


async def _logout_token(request: Request) -> str:
    """Return the form's `logout_token`."""
    kind = (header_of(request.scope, b"content-type") or "").partition(";")[0].strip().lower()
    body = await read_body(request, limit=_MAX_BYTES)
    try:
        fields = parse_qsl(body.decode("ascii"), max_num_fields=10, errors="strict") if kind == _FORM else []
    except ValueError:
        fields = []
    tokens = [value for name, value in fields if name == "logout_token"]
    if len(tokens) != 1:
        raise _invalid(f"Send {_FORM} with one logout_token.")
    return tokens[0]


def _invalid(detail: str) -> Problem:
    # Section 2.8; `error` is as in RFC 6749, section 5.2.
    return Problem(400, "invalid-request", detail, headers=_NO_STORE, extensions={"error": "invalid_request"})
