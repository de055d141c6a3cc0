"""Verification of access tokens, and of the logout tokens that report ended sessions."""

import hashlib
import time
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, Self

from ops.base.permissions import claim_at, permissions_in, texts_in
from ops.base.settings import ServiceSettings
from ops.base.sign_in.actor import (
    MAX_NAME,
    MAX_SUBJECT,
    Actor,
    VerifiedToken,
    client_of_program,
    email_from_claims,
    name_from_claims,
)
from ops.base.sign_in.claims import check_claims, check_logout_claims
from ops.base.sign_in.signing_keys import SigningKeys
from ops.base.sign_in.token_format import read_header, verified_claims

_MOST_ROLES: Final = 20
CACHED_TOKENS: Final = 4096
# OpenID Connect Back-Channel Logout 1.0, section 2.4, recommends the first; some providers use plain `JWT`.
_LOGOUT_TYPES: Final = frozenset({"logout+jwt", "jwt"})


class Logout(NamedTuple):
    """An ended session, or all sessions of a subject."""

    subject: str | None
    session: str | None
    issued_at: datetime
    """By the provider's clock, like the issue times of access tokens."""


class TokenVerifier:
    """Verifies the access tokens of one issuer for one API.

    As an asynchronous context manager, it loads the issuer's keys in the background.
    """

    def __init__(self, settings: ServiceSettings, *, min_refetch_interval: float = 10.0) -> None:
        """Create a verifier; raises `ValueError`."""
        if not settings.issuer or not settings.audience:
            raise ValueError("a token verifier needs an issuer and an audience")
        self._settings = settings
        self._token_issuer = settings.token_issuer or settings.issuer
        self._logout_audiences = frozenset(filter(None, (settings.audience, settings.client_id)))
        self._keys = SigningKeys(settings.issuer, settings.keys_url, min_interval=min_refetch_interval)
        self._cache: OrderedDict[tuple[int, bytes], VerifiedToken] = OrderedDict()

    @property
    def ready(self) -> bool:
        """Whether the issuer's keys have been loaded."""
        return self._keys.loaded

    async def __aenter__(self) -> Self:
        """Start loading the issuer's keys."""
        await self._keys.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop loading keys."""
        await self._keys.__aexit__()

    async def verify(self, token: str) -> VerifiedToken:
        """Verify an access token; raises `InvalidToken` or `KeysUnavailable`."""
        # By digest, so that no bearer token stays in memory after its request.
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        entry = (self._keys.generation, digest)
        known = self._cache.get(entry)
        if known is not None and known.expires_at.timestamp() > time.time():
            self._cache.move_to_end(entry)
            return known
        header = read_header(token)
        claims = verified_claims(token, await self._keys.find(header.kid))
        check_claims(claims, typ=header.typ, issuer=self._token_issuer, audience=self._settings.audience)
        verified = self._verified(claims)
        self._cache[self._keys.generation, digest] = verified
        if len(self._cache) > CACHED_TOKENS:
            self._cache.popitem(last=False)
        return verified

    async def verify_logout(self, token: str) -> Logout:
        """Verify a logout token, which may be sent repeatedly; raises the errors of `verify`.

        It is signed with the keys of access tokens, but neither kind is accepted in place of the other
        (OpenID Connect Back-Channel Logout 1.0, section 4.1).
        """
        key = await self._keys.find(read_header(token, _LOGOUT_TYPES).kid)
        claims = verified_claims(token, key)
        check_logout_claims(claims, issuer=self._settings.issuer, audiences=self._logout_audiences)
        return Logout(claims.get("sub"), claims.get("sid"), datetime.fromtimestamp(claims["iat"], UTC))

    def _verified(self, claims: dict[str, Any]) -> VerifiedToken:
        sub, settings = claims["sub"], self._settings
        session, issued_at, client = claims.get("sid"), claims.get("iat"), client_of_program(claims)
        name = name_from_claims(claims, audience=settings.audience, fallback=client or sub)
        named = self._role_names(claims)
        permitted = permissions_in(claims, settings.permissions_claim)
        mapped = [settings.roles[name] for name in named if name in settings.roles]
        return VerifiedToken(
            actor=Actor(sub, name, is_program=client is not None),
            expires_at=datetime.fromtimestamp(claims["exp"], UTC),
            permissions=settings.everyone_may.union(permitted, *mapped),
            roles=tuple(named[:_MOST_ROLES]),
            unmapped_claim=settings.roles_claim if settings.roles and not mapped else None,
            # Whole seconds: a logout token of the same second may have been cut to them by its issuer.
            issued_at=None if issued_at is None else datetime.fromtimestamp(int(issued_at), UTC),
            session=session if isinstance(session, str) and 0 < len(session) <= MAX_SUBJECT else None,
            email=email_from_claims(claims, audience=settings.audience),
        )

    def _role_names(self, claims: dict[str, Any]) -> list[str]:
        """Return the texts of the roles claim, or `<audience>/roles` (Auth0 Actions); mapped ones first."""
        settings = self._settings
        found = claim_at(claims, settings.roles_claim)
        names = texts_in(claims.get(f"{settings.audience.rstrip('/')}/roles") if found is None else found)
        readable = (name for name in names if name.isprintable() and len(name) <= MAX_NAME)
        return sorted(readable, key=lambda name: name not in settings.roles)
