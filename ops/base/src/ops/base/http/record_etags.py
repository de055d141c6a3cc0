"""Entity tags of records: which version, of which log, and what it looks like."""

import re
from typing import Final, NamedTuple, Self

from ops.base.http.validators import keyed_digest

LOG_CHARACTERS: Final = 12
"""Of a log's id so much is told: a restored log gets a random one."""
_DIGEST: Final = 12
CODING: Final = r"(?:(?:--?|;)(?:br|deflate|gzip|zstd))?"
"""What Apache, Caddy and Jetty add to the tag of an answer that they compress."""
_TAG: Final = re.compile(
    rf'(?:W/)?"([1-9][0-9]{{0,17}})(?:-([0-9a-f]{{{LOG_CHARACTERS}}})(?:-([0-9a-f]{{{_DIGEST}}}))?)?{CODING}"',
    re.ASCII,
)
NO_STORE: Final = "private, no-store, no-transform"
"""`Cache-Control` of a command's answer that carries a tag: proxies must not compress it (RFC 9110, 7.7)."""


class RecordETag(NamedTuple):
    """What a record's entity tag says: `"<version>-<log>-<digest>"`."""

    version: int
    log: str | None = None
    """None: whichever log it is now, as people write it who know the version only."""
    digest: str | None = None
    """A keyed digest of the answer: it changes when a read table is mended, unlike the version."""

    @classmethod
    def of(cls, version: int, log_id: str, body: bytes | None = None) -> Self:
        """Make the tag of a version of a record.

        Args:
            version: which.
            log_id: the log that it is a version in.
            body: the answer that shows it; the same from the write side and the read side.
        """
        digest = None if body is None else keyed_digest(body)[:_DIGEST]
        return cls(version, log_id[:LOG_CHARACTERS], digest)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read a tag, also as a compressing proxy changes it; None: it is none of ours.

        By RFC 9110, 13.1.1, a weak tag never meets If-Match. A tag of ours names one version of a record,
        however the answer was encoded, so `W/` and the suffix of an encoding are ignored here.
        """
        match = _TAG.fullmatch(text)
        return cls(int(match[1]), match[2], match[3]) if match else None

    def is_of(self, log_id: str) -> bool:
        """Tell whether it may be a version in a log."""
        return self.log is None or log_id.startswith(self.log)

    def __str__(self) -> str:
        log = "" if self.log is None else f"-{self.log}"
        return f'"{self.version}{log}"' if self.digest is None else f'"{self.version}{log}-{self.digest}"'
