"""The condition `If-Match` (RFC 9110, section 13.1.1), whose entity tags are quoted versions."""

import re
from dataclasses import dataclass
from typing import Self

_VERSION = re.compile(r'"([1-9][0-9]{0,17})"', re.ASCII)


@dataclass(frozen=True)
class IfMatch:
    """The versions a client is willing to build on."""

    any_version: bool
    versions: frozenset[int]

    @classmethod
    def parse(cls, header: str | None) -> Self | None:
        """Read the header; tags that are no version of ours, weak ones among them, match nothing."""
        if header is None:
            return None
        tags = [tag.strip() for tag in header.split(",")]
        matches = (_VERSION.fullmatch(tag) for tag in tags)
        return cls("*" in tags, frozenset(int(match[1]) for match in matches if match))

    def allows(self, version: int) -> bool:
        """Tell whether an existing entity's version meets the condition."""
        return self.any_version or version in self.versions

    def known_version(self, current: int) -> int:
        """Return the newest version the client can have seen, for telling what changed since."""
        return max((version for version in self.versions if version <= current), default=current)
