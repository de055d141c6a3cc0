"""Requests to services, such as for their readiness."""

import ssl
from functools import cache
from typing import Any, Final

import httpx

_SECONDS: Final = 4.0


def request(url: str) -> httpx.Response:
    """Send a GET request without proxies, as services do; the answer may have any status.

    Raises:
        OSError: there was no answer; the text says why.
    """
    try:
        return httpx.get(
            url,
            timeout=_SECONDS,
            trust_env=False,
            follow_redirects=True,
            verify=_trusted(),
        )
    except httpx.HTTPError as error:
        raise OSError(str(error) or type(error).__name__) from None


@cache
def _trusted() -> ssl.SSLContext:
    """Return the system's authorities, whose certificates take 20 ms to load."""
    return ssl.create_default_context()


def document_in(answer: httpx.Response) -> dict[str, Any]:
    """Return an answer's JSON object, or an empty one if it has none."""
    try:
        document = answer.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def problem_in(answer: httpx.Response) -> str:
    """Return the reason of a refusal: the broken rules, or else the problem's detail."""
    problem = document_in(answer)
    errors = [f"{error['field']}: {error['message']}" for error in problem.get("validation_errors", ())]
    return "; ".join(errors) or str(problem.get("detail") or f"it answers {answer.status_code}")


def checks_in(answer: httpx.Response) -> dict[str, dict[str, Any]]:
    """Return the checks of a `/readyz` answer, or none if it has none."""
    checks = document_in(answer).get("checks")
    if not isinstance(checks, dict) or not all(isinstance(check, dict) for check in checks.values()):
        return {}
    return checks
