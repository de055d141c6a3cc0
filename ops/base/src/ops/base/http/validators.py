"""Keyed digests of answers, for entity tags.

With a plain digest, a person who has only the tag of a record could find a telephone or account number in it
by trying all of them.
"""

import hmac
import os
from functools import cache

import structlog

from ops.base.encryption.epochs import KEY_BYTES, VALIDATORS_KEY
from ops.base.encryption.settings import KeySettings

logger = structlog.get_logger()


def keyed_digest(body: bytes) -> str:
    """Return the HMAC-SHA256 (RFC 2104) of an answer's body, in hex."""
    return hmac.digest(_key(), body, "sha256").hex()


@cache
def _key() -> bytes:
    """Return the instance's key; if it has none, a random key of this process.

    Tags made with a random key never match those of another process: clients load unchanged answers again.
    """
    settings = KeySettings.load()
    if settings.where:
        path = settings.wrapping.folder / VALIDATORS_KEY
        try:
            key = bytes.fromhex(path.read_text(encoding="ascii"))
            if len(key) == KEY_BYTES:
                return key
            reason = f"not {KEY_BYTES} bytes"
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not hexadecimal"
        logger.warning("validators_key_unavailable", path=str(path), reason=reason)
    return os.urandom(KEY_BYTES)
