"""A browser application that signs in by the authorization code flow with PKCE."""

import base64
import hashlib
import html
import re
import secrets
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx


class OAuthBrowser:
    """A client of an identity provider that keeps cookies."""

    def __init__(self, address: str, *, origin: str = "http://localhost:8080") -> None:
        """Open a browser that sees the identity provider at `address` under the application's `origin`."""
        self.origin = origin
        self.verifier = secrets.token_urlsafe(48)
        self.http = httpx.AsyncClient(base_url=address, trust_env=False, timeout=60, follow_redirects=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.http.aclose()

    def request(self, **changes: str | None) -> dict[str, str]:
        """Return the parameters of an authorization request; a value of None leaves a parameter out."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=")
        parameters = {
            "client_id": "fleetlog-web",
            "redirect_uri": self.origin,
            "audience": "https://api.fleetlog.example",
            "scope": "openid profile email offline_access",
            "response_type": "code",
            "state": "the-state~",
            "nonce": "the-nonce",
            "code_challenge": challenge.decode(),
            "code_challenge_method": "S256",
            **changes,
        }
        return {name: value for name, value in parameters.items() if value is not None}

    async def authorize(self, **changes: str | None) -> httpx.Response:
        return await self.http.get("/authorize", params=self.request(**changes))

    async def choose(self, page: httpx.Response, user: str = "dev|asha", **changes: str) -> httpx.Response:
        """Submit the login page for a user."""
        headers = {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
        form = {**hidden_fields(page.text), "user": user, **changes}
        return await self.http.post("/idp/login", content=urlencode(form), headers=headers)

    async def sign_in(self, user: str = "dev|asha", **changes: str | None) -> httpx.Response:
        """Authorize as a user; the answer redirects to the application."""
        return await self.choose(await self.authorize(**changes), user)

    async def exchange(self, answer: httpx.Response, **changes: str | None) -> httpx.Response:
        """Exchange the code of a redirect for tokens."""
        code = answer_parameters(answer)["code"]
        return await self.token(
            **{
                "grant_type": "authorization_code",
                "code": code,
                "code_verifier": self.verifier,
                "redirect_uri": self.origin,
                **changes,
            }
        )

    async def refresh(self, refresh_token: str | None, **changes: str | None) -> httpx.Response:
        """Exchange a refresh token for tokens."""
        return await self.token(**{"grant_type": "refresh_token", "refresh_token": refresh_token, **changes})

    async def token(self, **parameters: str | None) -> httpx.Response:
        """Post a form to `/oauth/token`."""
        form = {"client_id": "fleetlog-web", **parameters}
        sent = {name: value for name, value in form.items() if value is not None}
        return await self.post("/oauth/token", sent)

    async def post(self, path: str, form: dict[str, str]) -> httpx.Response:
        """Post a form with the application's origin."""
        return await self.http.post(path, data=form, headers={"Origin": self.origin})

    async def tokens(self, user: str = "dev|asha", **changes: str | None) -> dict[str, Any]:
        """Sign in and return the token answer."""
        tokens: dict[str, Any] = (await self.exchange(await self.sign_in(user, **changes))).json()
        return tokens


def hidden_fields(page: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page)
    return {name: html.unescape(value) for name, value in fields}


def answer_parameters(answer: httpx.Response) -> dict[str, str]:
    """Return the parameters of a redirect to the application."""
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))
