"""The subscription by which a user receives due dates at the user's own address: one of each user."""

from base64 import b32encode
from hashlib import sha256
from typing import Final

PATH: Final = "/api/v1/me/digest"
_LETTERS: Final = 16


def own_digest_id(sub: str) -> str:
    """Return the id of a user's subscription; longer than random ids, to avoid collisions."""
    return f"SUB-{b32encode(sha256(f'digest|{sub}'.encode()).digest())[:_LETTERS].decode()}"


def is_own_digest(subscription: str) -> bool:
    """Return whether a subscription is a user's own."""
    return len(subscription) == len("SUB-") + _LETTERS
