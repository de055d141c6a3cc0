"""What an authorization request must bring here, beyond OAuth's minimum."""

# mypy: disallow-subclassing-any=false, disallow-untyped-calls=false

from typing import Any

from authlib.oauth2.rfc6749.errors import AccessDeniedError, InvalidRequestError
from authlib.oauth2.rfc7636 import CodeChallenge


class RequirePkce(CodeChallenge):
    """PKCE with S256, always: Authlib's own extension lets a request without it pass until the token."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: Any) -> None:
        """Refuse a request without an S256 challenge."""
        parameters = grant.request.payload.data
        if not parameters.get("code_challenge") or parameters.get("code_challenge_method") != "S256":
            raise InvalidRequestError("PKCE is required: code_challenge, and code_challenge_method=S256.")
        super().validate_code_challenge(grant, redirect_uri)


class KnownAudience:
    """Tokens are for one API; a request that names another is refused, as Auth0 does."""

    def __init__(self, audience: str) -> None:
        self._audience = audience

    def __call__(self, grant: Any) -> None:
        """Hook into Authlib's checks of an authorization request."""
        grant.register_hook("after_validate_authorization_request_payload", self._check)

    def _check(self, grant: Any, _: Any) -> None:
        parameters = grant.request.payload.data
        if parameters.get("audience", self._audience) != self._audience:
            raise AccessDeniedError("Service not found: this audience is not known here.")
        if parameters.get("response_mode", "query") not in {"query", "web_message"}:
            raise InvalidRequestError("response_mode is query or web_message.")
        if not parameters.get("max_age", "0").isdecimal():
            raise InvalidRequestError("max_age is a number of seconds.")
