"""Entity tags of records: version, log, and keyed digest of the answer."""

import hmac
import os
import re
from functools import cache
from typing import Final, NamedTuple, Self

import structlog

from ops.base.encryption.epochs import KEY_BYTES, VALIDATORS_KEY
from ops.base.encryption.settings import KeySettings

LOG_CHARACTERS: Final = 12
"""Length of the log's id in a tag; a restored log has a new random id."""
_DIGEST: Final = 12
CODING: Final = r"(?:(?:--?|;)(?:br|deflate|gzip|zstd))?"
"""Suffix that Apache, Caddy and Jetty add to the tags of compressed answers."""
_TAG: Final = re.compile(
    rf'(?:W/)?"([1-9][0-9]{{0,17}})(?:-([0-9a-f]{{{LOG_CHARACTERS}}})(?:-([0-9a-f]{{{_DIGEST}}}))?)?{CODING}"',
    re.ASCII,
)
NO_STORE: Final = "private, no-store, no-transform"
"""`Cache-Control` of a command's answer that carries a tag: proxies must not compress it (RFC 9110, 7.7)."""

logger = structlog.get_logger()


class RecordETag(NamedTuple):
    """An entity tag: `"<version>-<log>-<digest>"`."""

    version: int
    log: str | None = None
    """None: the current log; for clients that know only the version."""
    digest: str | None = None
    """Keyed digest of the answer, which changes when a read table is repaired."""

    @classmethod
    def of(cls, version: int, log_id: str, body: bytes | None = None) -> Self:
        """Return the tag of a version of a record.

        Args:
            body: the answer, which is identical in both APIs.
        """
        digest = None if body is None else keyed_digest(body)[:_DIGEST]
        return cls(version, log_id[:LOG_CHARACTERS], digest)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a tag; return None for other texts.

        By RFC 9110, 13.1.1, a weak tag never matches If-Match. Because these tags identify a version however
        the answer was encoded, `W/` and the suffix of a compressing proxy are ignored.
        """
        match = _TAG.fullmatch(text)
        return cls(int(match[1]), match[2], match[3]) if match else None

    def is_of(self, log_id: str) -> bool:
        """Return whether the tag can be of a log."""
        return self.log is None or log_id.startswith(self.log)

    def __str__(self) -> str:
        log = "" if self.log is None else f"-{self.log}"
        return f'"{self.version}{log}"' if self.digest is None else f'"{self.version}{log}-{self.digest}"'


def keyed_digest(body: bytes) -> str:
    """Return the HMAC-SHA256 (RFC 2104) of an answer's body, in hex.

    With a plain digest, a person who has only the tag of a record could find a telephone or account number in
    it by trying all of them.
    """
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
