"""Whether tokens can be judged: the identity provider's keys, and its clock beside ours."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from ops.launcher.doctor.findings import Findings, warning, well, wrong
from ops.launcher.instance.readiness import ask, document_of

CLOCK_SECONDS: Final = 60.0
"""Tokens that are younger than that are refused by a clock that is slow."""


def provider_keys(keys_url: str, issuer: str) -> Findings:
    """Look at the identity provider's keys, and at its clock."""
    command = f"curl -sS {keys_url}"
    try:
        answer = ask(keys_url)
    except OSError as error:
        yield wrong(f"{issuer} does not answer, so nobody can sign in: {error}", command)
        return
    keys = document_of(answer).get("keys")
    if answer.status_code != 200 or not isinstance(keys, list) or not keys:
        yield wrong(f"{keys_url} holds no keys ({answer.status_code}), so nobody can sign in", command)
        return
    yield well(f"{issuer} has {len(keys)} keys to sign tokens with")
    try:
        ahead = (parsedate_to_datetime(answer.headers.get("Date", "")) - datetime.now(UTC)).total_seconds()
    except ValueError:
        return
    if abs(ahead) > CLOCK_SECONDS:
        way = "behind" if ahead > 0 else "ahead of"
        yield warning(f"this clock is {abs(ahead):.0f} s {way} the identity provider's", "date -u", command)
