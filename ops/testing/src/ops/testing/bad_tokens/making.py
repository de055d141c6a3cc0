"""How bad tokens are made of good ones."""

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
    """A good token but for one claim; `TokenIssuer.DROP` leaves it out."""
    changes: dict[str, Any] = {name: value}
    return BadToken(f"{name} is {_shown(value)}", reason, lambda issuer: issuer.token(**changes))


def header(name: str, value: object, reason: Reason) -> BadToken:
    """A good token but for one member of its header; `TokenIssuer.DROP` leaves it out."""
    return BadToken(
        f"header {name} is {_shown(value)}", reason, lambda issuer: issuer.token(header={name: value})
    )


def with_payload(name: str, reason: Reason, change: Callable[[str], str]) -> BadToken:
    """A token whose payload's text is changed before it is signed."""
    return BadToken(
        name,
        reason,
        lambda issuer: issuer.sign(json.dumps(issuer.header()), change(json.dumps(issuer.claims()))),
    )


def with_header(name: str, reason: Reason, change: Callable[[str], str]) -> BadToken:
    """A token whose header's text is changed before it is signed."""
    return BadToken(
        name,
        reason,
        lambda issuer: issuer.sign(change(json.dumps(issuer.header())), json.dumps(issuer.claims())),
    )


def with_token(name: str, reason: Reason, change: Callable[[str], str]) -> BadToken:
    """A good token that is changed after it was signed."""
    return BadToken(name, reason, lambda issuer: change(issuer.token()))


def with_segments(name: str, reason: Reason, change: Callable[[str, str, str], str]) -> BadToken:
    """As `with_token`, its three segments given one by one."""
    return with_token(name, reason, lambda token: change(*token.split(".")))


def signed_by(
    name: str,
    reason: Reason,
    sign: Callable[[TokenIssuer, bytes], bytes],
    **head: object,
) -> BadToken:
    """A token whose signature is made another way.

    Args:
        name: what it is.
        reason: why it is refused.
        sign: from the issuer and what is to be signed to the signature.
        head: changed members of its header.
    """

    def build(issuer: TokenIssuer) -> str:
        parts = (issuer.header(**head), issuer.claims())
        signing_input = ".".join(encode(json.dumps(part).encode()) for part in parts)
        return f"{signing_input}.{encode(sign(issuer, signing_input.encode()))}"

    return BadToken(name, reason, build)


def pad(text: str, member: str) -> str:
    """Add a member to a JSON object's text."""
    return text[:-1] + ", " + member + "}"


def without(text: str, name: str) -> str:
    """Rename a member of a JSON object's text, so that another can take its place."""
    return text.replace(f'"{name}"', f'"former_{name}"', 1)


def _shown(value: object) -> str:
    if value is TokenIssuer.DROP:
        return "missing"
    text = str(value)
    shown = text if len(text) <= 60 else f"{text[:20]}… of {len(text)} characters"
    return f"{shown!r} ({type(value).__name__})"
