"""Sign-in: verifies access tokens and logout tokens, and checks permissions.

A request's token passes `dependency` (header), `verifier` (cache), `token_format` (form and header),
`signing_keys`, python-jose (signature) and `claims`; then the route's `Requires` checks its permissions.
`revocations` has the revoked sessions and subjects, which the identity provider reports by logout tokens. New
rules for the content of tokens belong in `claims`.
"""

from ops.base.sign_in.actor import Actor, VerifiedToken
from ops.base.sign_in.dependency import Requires, permitted, require
from ops.base.sign_in.refusal import InvalidToken, SigningKeysUnavailable

__all__ = [
    "Actor",
    "InvalidToken",
    "Requires",
    "SigningKeysUnavailable",
    "VerifiedToken",
    "permitted",
    "require",
]
