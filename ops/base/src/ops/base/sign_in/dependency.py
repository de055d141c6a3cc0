"""The dependency with which routes declare the permissions that they require."""

from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

from fastapi import Depends, FastAPI
from fastapi.openapi.models import HTTPBearer as HTTPBearerModel
from fastapi.routing import APIRoute
from fastapi.security.base import SecurityBase
from prometheus_client import Counter
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from ops.base.http.problems import Problem, unavailable
from ops.base.http.request_context import headers_of
from ops.base.permissions import Permission
from ops.base.sign_in.refusal import InvalidToken, Reason, SigningKeysUnavailable

if TYPE_CHECKING:
    from ops.base.http.limits import Limit
    from ops.base.sign_in.actor import VerifiedToken
    from ops.base.sign_in.revocations import Revocations
    from ops.base.sign_in.verifier import TokenVerifier

_REFUSALS: Final = Counter(
    "fleetlog_sign_in_refusals_total", "Requests refused because of their access token", ["reason"]
)
for _reason in ("missing", *get_args(Reason)):  # a counter that begins with 1 shows no increase
    _REFUSALS.labels(_reason)
_MISSING: Final = Counter(
    "fleetlog_permission_refusals_total", "Requests refused because their token does not permit them"
)
SCHEME: Final = "accessToken"
"""The security scheme in the OpenAPI documents."""
TOKEN: Final = "fleetlog.token"  # noqa: S105 - a name
"""The key of the `VerifiedToken` in a request's scope."""
_REMEDY: Final = "Ask the administrator of your account for it."
_NO_CLAIM: Final = (
    "Your access token contains no permissions: the administrator of the identity provider can add them, in"
    " the claim that FLEETLOG_PERMISSIONS_CLAIM names (see ops/docs/permissions.md)."
)
_UNMAPPED: Final = (
    "None of the values of the claim {} in your access token is mapped to permissions: the administrator can"
    " give you another role at the identity provider, or map yours in FLEETLOG_ROLES (see"
    " ops/docs/permissions.md)."
)
_NO_ROLES: Final = (
    "Your access token has no values in the claim {}: the administrator can add them at the identity"
    " provider, or name another claim in FLEETLOG_ROLES_CLAIM (see ops/docs/permissions.md)."
)


class UndeclaredRoute(Exception):
    """A route declares no requirement."""


class Requires(SecurityBase):
    """The requirement of a route: a valid access token with permissions; documented in OpenAPI."""

    def __init__(self, *permissions: Permission, or_else: Permission | None = None) -> None:
        """Create a requirement.

        Args:
            permissions: all of them are required; none: every signed-in user is admitted.
            or_else: a permission that suffices instead.
        """
        self.permissions: Final = permissions
        self.or_else: Final = or_else
        self.model = HTTPBearerModel(
            bearerFormat="JWT", description="An access token of the identity provider."
        )
        self.scheme_name = SCHEME

    @property
    def ways(self) -> list[list[Permission]]:
        """The alternative lists of required permissions."""
        return [list(self.permissions), *([] if self.or_else is None else [[self.or_else]])]

    async def __call__(self, request: Request) -> "VerifiedToken":
        """Verify a request's token, and check its permissions.

        Args:
            request: of an application whose `state.token_verifier` is a `TokenVerifier`.

        Raises:
            Problem: 401 without a valid token; 403 without the permissions; 429 if too many requests of the
                subject are running; 503 while tokens cannot be verified.
        """
        verifier: TokenVerifier = request.app.state.token_verifier
        revocations: Revocations = request.app.state.revocations
        try:
            token = await verifier.verify(_bearer_token(request))
            revocations.check(token)
        except InvalidToken as error:
            _REFUSALS.labels(error.reason).inc()
            raise unauthorized(error) from error
        except SigningKeysUnavailable as error:
            raise unavailable("Sign-in cannot be checked at the moment.", retry_after=5) from error
        request.scope[TOKEN] = token
        if self.or_else is None or self.or_else not in token.permissions:
            require(token, *self.permissions, or_else=self.or_else)
        requests: Limit = request.app.state.requests_per_subject
        requests.take(request.scope, token.actor.sub)
        return token


def permitted(*permissions: Permission) -> Any:
    """Return the type of an endpoint's parameter for the token of a caller with all the permissions."""
    return Annotated[Any, Depends(Requires(*permissions))]


def require(token: "VerifiedToken", *permissions: Permission, or_else: Permission | None = None) -> None:
    """Check that a token grants permissions.

    Args:
        or_else: a permission that would suffice instead, named in the error.

    Raises:
        Problem: 403, with the missing permissions.
    """
    if token.permissions.issuperset(permissions):
        return
    missing = [permission for permission in permissions if permission not in token.permissions]
    needed = " and ".join(missing) + (f" or {or_else}" if or_else else "")
    noun = "permission" if len(missing) == 1 else "permissions"
    remedy = _REMEDY if token.permissions else _NO_CLAIM
    if not token.permissions and token.unmapped_claim is not None:
        remedy = (_UNMAPPED if token.roles else _NO_ROLES).format(token.unmapped_claim)
    _MISSING.inc()
    raise Problem(
        403,
        "permission-missing",
        f"You need the {needed} {noun}. {remedy}",
        # RFC 6750, section 3.1
        headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{" ".join(missing)}"'},
        extensions={"missing_permissions": missing},
    )


def _bearer_token(request: Request) -> str:
    """Return the bearer token of a request's header.

    Tokens in the query string or body are not accepted, because they end in logs (RFC 9700, section 4.3.2).
    """
    headers = headers_of(request.scope, b"authorization")
    credentials = [header.partition(" ") for header in headers]
    tokens = [token.strip(" \t") for scheme, _, token in credentials if scheme.lower() == "bearer"]
    if not any(tokens):
        _REFUSALS.labels("missing").inc()
        # RFC 6750, section 3.1: no error code for a request without credentials.
        raise Problem(
            401, "unauthorized", "This request needs an access token.", headers={"WWW-Authenticate": "Bearer"}
        )
    if len(headers) > 1:
        raise InvalidToken("malformed")
    return tokens[0]


def unauthorized(error: InvalidToken) -> Problem:
    """Return the problem for an invalid token."""
    detail = (
        "The access token has expired." if error.reason == "expired" else "The access token is not valid."
    )
    return Problem(
        401,
        "unauthorized",
        detail,
        headers={"WWW-Authenticate": f'Bearer error="invalid_token", error_description="{detail}"'},
    )


def requirement_of(route: BaseRoute) -> Requires | None:
    """Return the requirement that a route declares; None for a public route. Raises `UndeclaredRoute`."""
    if isinstance(route, APIRoute):
        for dependency in route.dependant.dependencies:
            if isinstance(dependency.call, Requires):
                return dependency.call
        if (route.openapi_extra or {}).get("security") == []:
            return None
    raise UndeclaredRoute(
        f"{getattr(route, 'path', route)} does not declare its permissions: see ops.base.sign_in.Requires"
    )


def require_declarations(app: FastAPI) -> None:
    """Check that each route of an application declares its requirement; the OpenAPI document is public.

    Raises:
        UndeclaredRoute: a route does not.
    """
    for route in app.routes:
        if not (isinstance(route, Route) and route.path == app.openapi_url):
            requirement_of(route)
