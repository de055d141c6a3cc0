"""The one client that may ask for sign-in: the browser application, which can keep no secret."""

# mypy: disallow-subclassing-any=false

import re
from dataclasses import dataclass
from typing import Final

from authlib.oauth2.rfc6749 import ClientMixin

from ops.launcher.identity_provider.tokens import SCOPES

# No fragment, and nothing that browsers and servers might read differently.
_PLAIN_URL: Final = re.compile(r"[A-Za-z0-9:/?&=._~%+,;@!$'()*\[\]-]+")


@dataclass(frozen=True)
class WebClient(ClientMixin):
    """A public client (RFC 6749, section 2.1); Authlib asks it what it may do."""

    client_id: str
    origins: tuple[str, ...]

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        """Tell whether a browser may be sent there: the text must begin with an allowed origin."""
        return bool(_PLAIN_URL.fullmatch(redirect_uri)) and self.origin_of(redirect_uri) is not None

    def origin_of(self, redirect_uri: str) -> str | None:
        """Return the allowed origin to which an address belongs."""
        for origin in self.origins:
            if redirect_uri == origin or redirect_uri.startswith((f"{origin}/", f"{origin}?")):
                return origin
        return None

    def get_client_id(self) -> str:
        """Return the client's id."""
        return self.client_id

    def get_default_redirect_uri(self) -> str | None:
        """Return None: the address must be given."""
        return None

    def get_allowed_scope(self, scope: str | None) -> str:
        """Return those of the asked scopes that exist here; others are dropped, as Auth0 does."""
        return " ".join(one for one in dict.fromkeys((scope or "").split()) if one in SCOPES)

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        """Tell whether the client may authenticate so: PKCE stands in for a secret."""
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        """Tell whether the client may ask for this."""
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        """Tell whether the client may trade this for tokens."""
        return grant_type in {"authorization_code", "refresh_token"}
