"""The dependency through which a route declares what it needs, and an endpoint learns who is asking."""

from typing import TYPE_CHECKING, Final, get_args

from fastapi.openapi.models import HTTPBearer as HTTPBearerModel
from fastapi.security.base import SecurityBase
from prometheus_client import Counter
from starlette.requests import Request

from ops.base.http.problems import Problem, unavailable
from ops.base.http.request_context import headers_of
from ops.base.permissions import Permission
from ops.base.sign_in.refusal import InvalidToken, KeysUnavailable, Reason

if TYPE_CHECKING:
    from ops.base.http.limits import Limit
    from ops.base.sign_in.revocations import Revocations
    from ops.base.sign_in.verified_token import VerifiedToken
    from ops.base.sign_in.verifier import TokenVerifier

_REFUSALS: Final = Counter(
    "fleetlog_sign_in_refusals_total", "Requests refused because of their access token", ["reason"]
)
for _reason in ("missing", *get_args(Reason)):  # from the start, or the first one would be no increase
    _REFUSALS.labels(_reason)
_MISSING: Final = Counter(
    "fleetlog_permission_refusals_total", "Requests refused because their token does not permit them"
)
SCHEME: Final = "accessToken"
"""Of the OpenAPI documents."""
TOKEN: Final = "fleetlog.token"  # noqa: S105 - a name
"""Where a request's scope has its `VerifiedToken`."""
_WHOM_TO_ASK: Final = "Whoever looks after your account can give it."
_NO_CLAIM: Final = (
    "Your access token names no permission at all: whoever looks after the identity provider can have it name"
    " them, in the claim that FLEETLOG_PERMISSIONS_CLAIM says (see ops/docs/permissions.md)."
)


class Requires(SecurityBase):
    """Signed in and permitted, or refused; the OpenAPI document says so of each route that declares it."""

    def __init__(self, *permissions: Permission, or_else: Permission | None = None) -> None:
        """Describe what a route needs.

        Args:
            permissions: all that are needed; none: whoever is signed in may.
            or_else: what is enough as well.
        """
        self.permissions: Final = permissions
        self.or_else: Final = or_else
        self.model = HTTPBearerModel(
            bearerFormat="JWT", description="An access token of the identity provider."
        )
        self.scheme_name = SCHEME

    @property
    def ways(self) -> list[list[Permission]]:
        """The lists of permissions of which one is enough."""
        return [list(self.permissions), *([] if self.or_else is None else [[self.or_else]])]

    async def __call__(self, request: Request) -> "VerifiedToken":
        """Return what a request's token says.

        Args:
            request: of an application whose `state.token_verifier` is a `TokenVerifier`.

        Raises:
            Problem: 401 without a valid token; 403 where it does not permit this; 429 where the subject has
                too many requests running; 503 while tokens cannot be judged.
        """
        verifier: TokenVerifier = request.app.state.token_verifier
        revocations: Revocations = request.app.state.revocations
        try:
            token = await verifier.verify(_bearer_token(request))
            revocations.check(token)
        except InvalidToken as error:
            _REFUSALS.labels(error.reason).inc()
            raise unauthorized(error) from error
        except KeysUnavailable as error:
            raise unavailable("Sign-in cannot be checked at the moment.", retry_after=5) from error
        request.scope[TOKEN] = token
        if self.or_else is None or self.or_else not in token.permissions:
            require(token, *self.permissions, or_else=self.or_else)
        requests: Limit = request.app.state.requests_per_subject
        requests.take(request.scope, token.actor.sub)
        return token


def require(token: "VerifiedToken", *permissions: Permission, or_else: Permission | None = None) -> None:
    """Refuse whoever is not permitted something.

    Args:
        token: what somebody's access token says.
        permissions: all that are needed.
        or_else: what would be enough as well, which they do not have.

    Raises:
        Problem: 403, naming what is missing.
    """
    if token.permissions.issuperset(permissions):
        return
    missing = [permission for permission in permissions if permission not in token.permissions]
    needed = " and ".join(missing) + (f" or {or_else}" if or_else else "")
    remedy = _WHOM_TO_ASK if token.permissions else _NO_CLAIM
    _MISSING.inc()
    raise Problem(
        403,
        "permission-missing",
        f"This needs the permission {needed}. {remedy}",
        # RFC 6750, section 3.1
        headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{" ".join(missing)}"'},
        extensions={"missing_permissions": missing},
    )


def _bearer_token(request: Request) -> str:
    """Return the one bearer token of a request.

    A token in the query string or the body is not looked for: both end in logs (RFC 9700, section 4.3.2).
    """
    headers = headers_of(request.scope, b"authorization")
    credentials = [header.partition(" ") for header in headers]
    tokens = [token.strip(" \t") for scheme, _, token in credentials if scheme.lower() == "bearer"]
    if not any(tokens):
        _REFUSALS.labels("missing").inc()
        # RFC 6750, section 3.1: no error code for a request that did not try.
        raise Problem(
            401, "unauthorized", "This request needs an access token.", headers={"WWW-Authenticate": "Bearer"}
        )
    if len(headers) > 1:
        raise InvalidToken("malformed")
    return tokens[0]


def unauthorized(error: InvalidToken) -> Problem:
    """Return the problem for a token that does not prove who is asking."""
    detail = (
        "The access token has expired." if error.reason == "expired" else "The access token is not valid."
    )
    return Problem(
        401,
        "unauthorized",
        detail,
        headers={"WWW-Authenticate": f'Bearer error="invalid_token", error_description="{detail}"'},
    )
