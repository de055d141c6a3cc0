"""Requests to services, such as for their readiness."""

import ssl
from typing import Any, Final

import httpx

_SECONDS: Final = 4.0


def ask(url: str) -> httpx.Response:
    """Request an address, without proxies as services do; any status is an answer.

    Raises:
        OSError: no answer; its text says why.
    """
    try:
        return httpx.get(
            url,
            timeout=_SECONDS,
            trust_env=False,
            follow_redirects=True,
            verify=ssl.create_default_context(),
        )
    except httpx.HTTPError as error:
        raise OSError(str(error) or type(error).__name__) from None


def document_of(answer: httpx.Response) -> dict[str, Any]:
    """Return the JSON object of an answer; empty if it is none."""
    try:
        document = answer.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def checks_of(answer: httpx.Response) -> dict[str, dict[str, Any]]:
    """Return the checks of a `/readyz` answer; empty if it is none."""
    checks = document_of(answer).get("checks")
    if not isinstance(checks, dict) or not all(isinstance(check, dict) for check in checks.values()):
        return {}
    return checks
