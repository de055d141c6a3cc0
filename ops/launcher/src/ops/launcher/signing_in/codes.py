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
from ops.launcher.saying import say
from ops.launcher.signing_in.provider import SCOPE, Provider, Refused, Tokens

PATH: Final = "/callback"
PATIENCE_SECONDS: Final = 300.0
"""For somebody to sign in."""


class CodeRequest:
    """One authorization request."""

    def __init__(self, provider: Provider, redirect_uri: str) -> None:
        """Prepare a request that is answered at an address of this machine."""
        self.redirect_uri = redirect_uri
        self._provider = provider
        self._verifier = secrets.token_urlsafe(48)
        self._state = secrets.token_urlsafe(16)

    def address(self, **more: str) -> str:
        """Return where a browser is to go.

        Raises:
            LauncherError: the provider does not say.
        """
        endpoint = self._provider.endpoint("authorization")
        if endpoint is None:
            raise LauncherError(f"{self._provider.issuer} offers no way to sign in from a command line")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self._verifier.encode()).digest())
        query = {
            "response_type": "code",
            "client_id": self._provider.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": SCOPE,
            "audience": self._provider.audience,
            "state": self._state,
            "code_challenge": challenge.decode().rstrip("="),
            "code_challenge_method": "S256",
            **more,
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def is_answer(self, answer: Mapping[str, str]) -> bool:
        """Tell whether parameters answer this request, and no other one."""
        return secrets.compare_digest(answer.get("state", "").encode(), self._state.encode())

    def tokens(self, answer: Mapping[str, str]) -> Tokens:
        """Trade what the request was answered with for an access token.

        Raises:
            Refused: it was refused.
            LauncherError: somebody else has answered it (RFC 9207), or the provider does not.
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


def by_name(provider: Provider, name: str) -> Tokens:
    """Sign in at the development provider, which asks for nothing but a role or a subject.

    Raises:
        LauncherError: it refuses, does not answer, or asks for more.
    """
    request = CodeRequest(provider, f"http://127.0.0.1{PATH}")
    try:
        answer = httpx.get(request.address(login_hint=name), timeout=10, trust_env=False, verify=trusting())
    except httpx.HTTPError as error:
        raise LauncherError(f"{provider.issuer} does not answer: {error or type(error).__name__}") from error
    parameters = dict(parse_qsl(urlsplit(answer.headers.get("location", "")).query))
    if not request.is_answer(parameters):
        raise LauncherError(f"{provider.issuer} does not let {name} in without asking for more")
    return request.tokens(parameters)


def by_browser(provider: Provider, *, port: int = 0, patience: float = PATIENCE_SECONDS) -> Tokens:
    """Have somebody sign in with a browser on this machine, which then comes back to a port of it.

    Args:
        provider: where.
        port: which port, for providers that want to know it beforehand; 0: one that is free.
        patience: how long to wait, in seconds.

    Raises:
        LauncherError: nobody signed in, the provider refuses or does not answer, or the port is taken.
    """
    with _Listener(port) as listener:
        request = CodeRequest(provider, f"http://127.0.0.1:{listener.server_port}{PATH}")
        address = request.address()
        say(f"to sign in at {provider.issuer}, open this in a browser on this machine:\n{address}")
        _open(address)
        return request.tokens(listener.wait(request, patience))


class _Listener(HTTPServer):
    """Waits on 127.0.0.1 for the browser to come back."""

    def __init__(self, port: int) -> None:
        try:
            super().__init__(("127.0.0.1", port), _Callback)
        except OSError as error:
            raise LauncherError(f"port {port} is taken: name another one with --port") from error
        self.request: CodeRequest | None = None
        self.answer: dict[str, str] | None = None

    def wait(self, request: CodeRequest, patience: float) -> dict[str, str]:
        self.request = request
        deadline = time.monotonic() + patience
        while self.answer is None:
            self.timeout = deadline - time.monotonic()
            if self.timeout <= 0:
                raise LauncherError(
                    f"nobody signed in for {patience:.0f} s; where there is no browser, have the provider"
                    " offer the device authorization grant, or bring a token from elsewhere"
                )
            self.handle_request()
        return self.answer

    def handle_error(self, *_: object) -> None:
        """Say nothing of who broke off."""


class _Callback(BaseHTTPRequestHandler):
    server: _Listener
    timeout = 5.0

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        answer = dict(parse_qsl(place.query))
        expected = self.server.request
        if place.path != PATH or expected is None or not expected.is_answer(answer):
            self._tell(404, "Nobody waits for this.")
        elif "code" in answer:
            self.server.answer = answer
            self._tell(200, "You are signed in: go back to the command line.")
        else:
            self.server.answer = answer
            self._tell(200, "You are not signed in; the command line says why.")

    def _tell(self, status: int, text: str) -> None:
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
        """Say nothing: what is asked for has a code in it."""


def _open(address: str) -> None:
    """Open a browser, if there is one; whatever it prints would be taken for the token."""
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    command = [sys.executable, "-m", "webbrowser", address]
    Thread(target=partial(subprocess.run, command, check=False, **quiet), daemon=True).start()
