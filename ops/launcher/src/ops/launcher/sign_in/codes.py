"""The authorization code grant with PKCE (RFC 7636), for command lines (RFC 8252)."""

import base64
import hashlib
import html
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx

from ops.base.http.client import trusting
from ops.launcher.errors import LauncherError
from ops.launcher.messages import notify
from ops.launcher.sign_in.provider import ProviderClient, Refused, Tokens

PATH: Final = "/callback"
PATIENCE_SECONDS: Final = 300.0
"""For the user to sign in."""


class CodeRequest:
    """One authorization request, answered at a redirect URI of this machine."""

    def __init__(self, provider: ProviderClient, redirect_uri: str) -> None:
        self.redirect_uri = redirect_uri
        self._provider = provider
        self._verifier = secrets.token_urlsafe(48)
        self._state = secrets.token_urlsafe(16)

    def address(self, **more: str) -> str:
        """Return the URL for the browser, with additional query parameters."""
        endpoint = self._provider.endpoint("authorization")
        if endpoint is None:
            raise LauncherError(f"{self._provider.issuer} does not support sign-in from a command line")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self._verifier.encode()).digest())
        query = {
            "response_type": "code",
            "client_id": self._provider.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": self._provider.scope,
            "audience": self._provider.audience,
            "state": self._state,
            "code_challenge": challenge.decode().rstrip("="),
            "code_challenge_method": "S256",
            **more,
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def is_answer(self, answer: Mapping[str, str]) -> bool:
        """Return whether the parameters of a redirect belong to this request."""
        return secrets.compare_digest(answer.get("state", "").encode(), self._state.encode())

    def tokens(self, answer: Mapping[str, str]) -> Tokens:
        """Exchange the code in a redirect for an access token.

        Raises:
            Refused: the provider refused the sign-in.
            LauncherError: another issuer answered (RFC 9207), or the provider does not.
        """
        if answer.get("iss", self._provider.issuer) != self._provider.issuer:
            raise LauncherError(f"another identity provider answers instead of {self._provider.issuer}")
        if "code" not in answer:
            raise Refused(self._provider.issuer, answer)
        return self._provider.tokens(
            grant_type="authorization_code",
            code=answer["code"],
            code_verifier=self._verifier,
            redirect_uri=self.redirect_uri,
        )


def by_name(provider: ProviderClient, name: str) -> Tokens:
    """Sign in at the development provider with a role or a subject."""
    request = CodeRequest(provider, f"http://127.0.0.1{PATH}")
    try:
        answer = httpx.get(request.address(login_hint=name), timeout=10, trust_env=False, verify=trusting())
    except httpx.HTTPError as error:
        raise LauncherError(f"{provider.issuer} does not answer: {error or type(error).__name__}") from error
    parameters = dict(parse_qsl(urlsplit(answer.headers.get("location", "")).query))
    if not request.is_answer(parameters):
        raise LauncherError(f"{provider.issuer} does not sign {name} in without further questions")
    return request.tokens(parameters)


def by_browser(provider: ProviderClient, *, port: int = 0, patience: float = PATIENCE_SECONDS) -> Tokens:
    """Let the user sign in with a browser on this machine, which is redirected to a local port.

    Args:
        port: the port; 0: a free one.
        patience: how long to wait, in seconds.
    """
    with _Listener(port) as listener:
        request = CodeRequest(provider, f"http://127.0.0.1:{listener.server_port}{PATH}")
        address = request.address()
        notify(f"to sign in at {provider.issuer}, open this in a browser on this machine:\n{address}")
        _open(address)
        return request.tokens(listener.wait(request, patience))


class _Listener(HTTPServer):
    """HTTP server on 127.0.0.1 for the redirect."""

    def __init__(self, port: int) -> None:
        try:
            super().__init__(("127.0.0.1", port), _Callback)
        except OSError as error:
            raise LauncherError(f"port {port} is in use: choose another one with --port") from error
        self.request: CodeRequest | None = None
        self.answer: dict[str, str] | None = None

    def wait(self, request: CodeRequest, patience: float) -> dict[str, str]:
        self.request = request
        deadline = time.monotonic() + patience
        while self.answer is None:
            self.timeout = deadline - time.monotonic()
            if self.timeout <= 0:
                raise LauncherError(
                    f"no sign-in within {patience:.0f} s; on a machine without a browser, enable the device"
                    " authorization grant at the provider, or set FLEETLOG_TOKEN to a token"
                )
            self.handle_request()
        return self.answer

    def handle_error(self, *_: object) -> None:
        """Ignore clients that disconnect."""


class _Callback(BaseHTTPRequestHandler):
    server: _Listener
    timeout = 5.0

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        answer = dict(parse_qsl(place.query))
        expected = self.server.request
        if place.path != PATH or expected is None or not expected.is_answer(answer):
            self._answer(404, "No sign-in is in progress.")
        elif "code" in answer:
            self.server.answer = answer
            self._answer(200, "You are signed in: return to the command line.")
        else:
            self.server.answer = answer
            self._answer(200, "You are not signed in; the command line shows why.")

    def _answer(self, status: int, text: str) -> None:
        page = f"<!doctype html><title>Fleetlog</title><p>{html.escape(text)}</p>".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.send_header("Content-Security-Policy", "default-src 'none'")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Log nothing: the URL contains the authorization code."""


def _open(address: str) -> None:
    """Open a browser, if there is one, without output: standard output is for the token."""
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    command = [sys.executable, "-m", "webbrowser", address]
    Thread(target=partial(subprocess.run, command, check=False, **quiet), daemon=True).start()
