"""Valid and invalid logout tokens of a test's issuer."""

import json
import time
import uuid
from typing import Any, Final

from ops.testing.token_issuer import TokenIssuer

BACK_CHANNEL_LOGOUT: Final = "/api/v1/back-channel-logout"
LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"


def logout_claims(issuer: TokenIssuer, **changes: Any) -> dict[str, Any]:
    """Return the claims of a valid logout token, with `changes`; `TokenIssuer.DROP` leaves a claim out."""
    now = int(time.time())
    claims: dict[str, Any] = {
        "iss": issuer.issuer,
        "aud": issuer.audience,
        "sub": "dev|asha",
        "sid": "S1",
        "iat": now,
        "exp": now + 120,
        "jti": uuid.uuid4().hex,
        "events": {LOGOUT_EVENT: {}},
        **changes,
    }
    return {name: value for name, value in claims.items() if value is not TokenIssuer.DROP}


def logout_token(issuer: TokenIssuer, *, typ: Any = "logout+jwt", **changes: Any) -> str:
    """Return a signed logout token; see `logout_claims`."""
    return issuer.sign(json.dumps(issuer.header(typ=typ)), json.dumps(logout_claims(issuer, **changes)))
