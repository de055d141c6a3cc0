"""Builders of bad tokens from valid ones."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ops.base.sign_in.refusal import Reason
from ops.testing.token_issuer import TokenIssuer, encode


@dataclass(frozen=True)
class BadToken:
    """A token that must be refused."""

    name: str
    reason: Reason
    build: Callable[[TokenIssuer], str]


def claim(name: str, value: object, reason: Reason) -> BadToken:
    """A valid token with one changed claim; `TokenIssuer.DROP` leaves the claim out."""
    changes: dict[str, Any] = {name: value}
    return BadToken(f"{name} is {_shown(value)}", reason, lambda issuer: issuer.token(**changes))


def header(name: str, value: object, reason: Reason) -> BadToken:
    """A valid token with one changed member of its header; `TokenIssuer.DROP` leaves the member out."""
    return BadToken(
        f"header {name} is {_shown(value)}", reason, lambda issuer: issuer.token(header={name: value})
    )


def with_payload(name: str, reason: Reason, change: Callable[[str], str]) -> BadToken:
    """A token whose payload's text is changed before the signature."""
    return BadToken(
        name,
        reason,
        lambda issuer: issuer.sign(json.dumps(issuer.header()), change(json.dumps(issuer.claims()))),
    )


def with_header(name: str, reason: Reason, change: Callable[[str], str]) -> BadToken:
    """A token whose header's text is changed before the signature."""
    return BadToken(
        name,
        reason,
        lambda issuer: issuer.sign(change(json.dumps(issuer.header())), json.dumps(issuer.claims())),
    )


def with_token(name: str, reason: Reason, change: Callable[[str], str]) -> BadToken:
    """A valid token, changed after the signature."""
    return BadToken(name, reason, lambda issuer: change(issuer.token()))


def with_segments(name: str, reason: Reason, change: Callable[[str, str, str], str]) -> BadToken:
    """A valid token whose three segments are changed after the signature."""
    return with_token(name, reason, lambda token: change(*token.split(".")))


def signed_by(
    name: str,
    reason: Reason,
    sign: Callable[[TokenIssuer, bytes], bytes],
    **head: object,
) -> BadToken:
    """A token with another signature.

    Args:
        name: of the token.
        reason: of the refusal.
        sign: returns the signature of the signing input.
        head: changed members of the header.
    """

    def build(issuer: TokenIssuer) -> str:
        parts = (issuer.header(**head), issuer.claims())
        signing_input = ".".join(encode(json.dumps(part).encode()) for part in parts)
        return f"{signing_input}.{encode(sign(issuer, signing_input.encode()))}"

    return BadToken(name, reason, build)


def with_issuer(name: str, change: Callable[[str], object]) -> BadToken:
    return BadToken(name, "issuer", lambda issuer: issuer.token(iss=change(issuer.issuer)))


def pad(text: str, member: str) -> str:
    """Add a member to a JSON object's text."""
    return text[:-1] + ", " + member + "}"


def without(text: str, name: str) -> str:
    """Rename a member of a JSON object's text, so that another can replace it."""
    return text.replace(f'"{name}"', f'"former_{name}"', 1)


def _shown(value: object) -> str:
    if value is TokenIssuer.DROP:
        return "missing"
    text = str(value)
    shown = text if len(text) <= 60 else f"{text[:20]}… of {len(text)} characters"
    return f"{shown!r} ({type(value).__name__})"
