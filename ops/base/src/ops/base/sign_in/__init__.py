"""Sign-in checks: a bearer token becomes an `Actor`, or the request is refused.

A request's token goes through `dependency` (the header) → `verifier` (cache, order of the checks) →
`compact` (form and header) → `signing_keys` (which key) → python-jose (signature) → `claims`, and what it
permits is held against what the route `Requires`.
Who has been signed out is in `revocations`; the identity provider tells it in `logout_tokens`; answers that
last mind it by `lasting`.
A new rule about what a token must say belongs into `claims`.
"""

from ops.base.sign_in.actor import Actor
from ops.base.sign_in.dependency import Requires, require
from ops.base.sign_in.refusal import InvalidToken, KeysUnavailable
from ops.base.sign_in.verified_token import VerifiedToken

__all__ = [
    "Actor",
    "InvalidToken",
    "KeysUnavailable",
    "Requires",
    "VerifiedToken",
    "require",
]
