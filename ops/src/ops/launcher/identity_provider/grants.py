"""Codes and refresh tokens: Authlib checks them, we say where they are kept."""

# mypy: disallow-subclassing-any=false, disallow-untyped-calls=false

from dataclasses import dataclass
from typing import Any, Final, Self

from authlib.oauth2.rfc6749.errors import InvalidGrantError
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oidc.core import OpenIDCode, OpenIDToken
from authlib.oidc.core.grants.util import generate_id_token

from ops.launcher.identity_provider.store import Credential, Session, digest
from ops.launcher.identity_provider.tokens import BROWSER_LIFETIME, TokenSigner
from ops.launcher.identity_provider.users import User, user_by_sub

# Auth0's words: its browser library falls back to silent login when it reads them.
_REFUSED: Final = "Unknown or invalid refresh token."


@dataclass(frozen=True)
class SignedIn:
    """Who tokens are for: a user, in a session."""

    user: User
    sid: str

    @classmethod
    def of(cls, credential: Credential) -> Self | None:
        """Return who signed in to get a code or a refresh token, if there still is such a user."""
        user = user_by_sub(credential.sub)
        return cls(user, credential.sid) if user else None


class CodeGrant(AuthorizationCodeGrant):
    """Authorization codes: good for a minute and once; a second use revokes what the first one gave."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("none",)

    def save_authorization_code(self, code: str, request: Any) -> None:
        """Remember what a code was given for; `request.user` is the browser's session."""
        session: Session = request.user
        parameters = request.payload.data
        credential = Credential(
            id=digest(code),
            family=digest(code),
            session=session.id,
            client_id=request.client.client_id,
            redirect_uri=request.payload.redirect_uri,
            scope=request.scope,
            sub=session.sub,
            auth_time=session.auth_time,
            nonce=parameters.get("nonce"),
            code_challenge=parameters["code_challenge"],
            spent=False,
        )
        self.server.store.add("code", credential)

    def generate_token(self, **options: Any) -> dict[str, Any]:
        """Make the tokens; a refresh token only for those who asked for `offline_access`."""
        options["include_refresh_token"] = "offline_access" in options["scope"].split()
        token: dict[str, Any] = super().generate_token(**options)
        return token

    def query_authorization_code(self, code: str, client: Any) -> Credential | None:
        """Return what a code was given for, unless it was used before."""
        credential: Credential | None = self.server.store.find("code", code)
        if credential is None or not credential.check_client(client):
            return None
        if credential.spent:
            self.server.store.revoke_family(credential)
            return None
        return credential

    def delete_authorization_code(self, credential: Credential) -> None:
        """Let a code be used no more."""
        self.server.store.spend(credential)

    def authenticate_user(self, credential: Credential) -> SignedIn | None:
        """Return who signed in."""
        return SignedIn.of(credential)


class RefreshGrant(RefreshTokenGrant):
    """Refresh tokens: each is good once; a second use revokes the family (RFC 9700, section 4.14.2)."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("none",)
    INCLUDE_NEW_REFRESH_TOKEN = True

    def validate_token_request(self) -> None:
        """Check the request; one without a token fails like one with a wrong token."""
        if not self.request.form.get("refresh_token"):
            raise InvalidGrantError(_REFUSED)
        super().validate_token_request()

    def authenticate_refresh_token(self, refresh_token: str) -> Credential:
        """Return what a refresh token was given for, unless it was rotated before."""
        credential: Credential | None = self.server.store.find("refresh", refresh_token)
        if credential is not None and credential.spent:
            self.server.store.revoke_family(credential)
        if credential is None or credential.spent:
            raise InvalidGrantError(_REFUSED)
        return credential

    def authenticate_user(self, credential: Credential) -> SignedIn | None:
        """Return whose token it is."""
        return SignedIn.of(credential)

    def revoke_old_credential(self, credential: Credential) -> None:
        """Let the rotated token be used no more."""
        self.server.store.spend(credential)


class Revocation(RevocationEndpoint):
    """Signing out of one browser: the refresh token's whole family goes."""

    CLIENT_AUTH_METHODS = ("none",)

    def query_token(self, token: str, _hint: str | None) -> Credential | None:
        """Find a refresh token; access tokens are not stored and simply expire."""
        credential: Credential | None = self.server.store.find("refresh", token)
        return credential

    def revoke_token(self, credential: Credential, _request: Any) -> None:
        """Revoke it."""
        self.server.store.revoke_family(credential)


class _IdToken:
    """Adds an ID token to the answer when the scope has `openid`."""

    signer: TokenSigner

    def encode_id_token(self, token: dict[str, Any], request: Any) -> str:
        """Sign the ID token; the nonce goes into the first one only."""
        credential: Credential = request.authorization_code or request.refresh_token
        signed_in: SignedIn = request.user
        return str(
            generate_id_token(
                token,
                {**signed_in.user.claims(token["scope"]), "sid": signed_in.sid},
                self.signer.key,
                iss=self.signer.issuer,
                aud=request.client.client_id,
                exp=BROWSER_LIFETIME,
                nonce=credential.nonce,
                auth_time=credential.auth_time,
                kid=self.signer.kid,
            )
        )


class IdTokenForCode(_IdToken, OpenIDCode):
    """For a code; also makes Authlib mind `prompt`."""

    def __init__(self, signer: TokenSigner) -> None:
        super().__init__(require_nonce=False)
        self.signer = signer

    def exists_nonce(self, _nonce: str, _request: Any) -> bool:
        """Return False: PKCE and codes that work once already stop replays."""
        return False


class IdTokenForRefresh(_IdToken, OpenIDToken):
    """For a refresh token: the browser library wants an ID token then, too."""

    def __init__(self, signer: TokenSigner) -> None:
        self.signer = signer
