"""The condition `If-Match` (RFC 9110, section 13.1.1): which versions a change may build on."""

from dataclasses import dataclass
from typing import Self

from ops.base.http.record_etags import RecordETag


@dataclass(frozen=True)
class IfMatch:
    """The versions a client is willing to build on."""

    any_version: bool
    versions: frozenset[int]
    """Of this log; what another log called so was something else."""
    other_log: bool = False
    """Whether all that it names are versions of another log: of one that a restored log has replaced."""

    @classmethod
    def parse(cls, header: str | None, *, log_id: str) -> Self | None:
        """Read the header; tags that are no version of this log match nothing.

        Args:
            header: what the client sent; None: nothing.
            log_id: the log that the change would be appended to.
        """
        if header is None:
            return None
        texts = [text.strip() for text in header.split(",")]
        tags = [tag for text in texts if (tag := RecordETag.parse(text))]
        versions = frozenset(tag.version for tag in tags if tag.is_of(log_id))
        return cls("*" in texts, versions, other_log=bool(tags) and not versions)

    @classmethod
    def one(cls, version: int) -> Self:
        """Return the condition that an entity still has a version."""
        return cls(any_version=False, versions=frozenset([version]))

    def allows(self, version: int) -> bool:
        """Tell whether an existing entity's version meets the condition."""
        return self.any_version or version in self.versions

    def known_version(self, current: int) -> int | None:
        """Return the newest version the client can have seen, for telling what changed since.

        None: it has seen another log's, and nobody knows what that held.
        """
        if self.other_log:
            return None
        return max((version for version in self.versions if version <= current), default=current)
