"""Asks services whether they are ready, and what is wrong."""

import json
import ssl
from typing import Any, Final

import httpx

_SECONDS: Final = 4.0
_NAMED_STREAMS: Final = 3


def ask(url: str) -> httpx.Response:
    """Get what is at an address, past proxies as services do, whatever its status is.

    Raises:
        OSError: nobody answers; its text says why.
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
    """Return the JSON object that was answered; empty: it is none."""
    try:
        document = answer.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def faults(body: bytes) -> dict[str, dict[str, Any]]:
    """Return the checks of a `/readyz` answer that are not ok, or degraded, by name."""
    try:
        checks: dict[str, dict[str, Any]] = json.loads(body)["checks"]
        return {name: check for name, check in checks.items() if check.get("degraded") or not check.get("ok")}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def in_short(body: bytes) -> str:
    """Say what is wrong in a line; empty: nothing is."""
    return ", ".join(f"{name}: {brief(check) or 'not ok'}" for name, check in faults(body).items())


def brief(check: dict[str, Any]) -> Any:
    """Of what a check tells: why a projection or the relay stopped, or which streams it has set aside."""
    detail = check.get("detail")
    if not isinstance(detail, dict):
        return detail
    if detail.get("error"):
        return detail["error"]
    if "quarantined_streams" not in detail:
        return detail
    streams = [stream["originator_id"] for stream in detail["quarantined_streams"][:_NAMED_STREAMS]]
    more = ["…"] if detail["quarantined"] > len(streams) else []
    return f"{detail['quarantined']} set aside ({', '.join(streams + more)})"
