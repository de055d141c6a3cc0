"""Context of a command: user, request, and the condition `If-Match` (RFC 9110, section 13.1.1)."""

import hashlib
import json
import uuid
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self
from uuid import UUID

from command_api.domain.events import EventMetadata
from ops.base.http.record_etags import RecordETag


@dataclass(frozen=True)
class IfMatch:
    """The versions on which a client is willing to base its change."""

    any_version: bool
    versions: frozenset[int]
    """Versions of this log."""
    other_log: bool = False
    """Whether all tags name versions of another log, which a restored log has replaced."""

    @classmethod
    def parse(cls, header: str | None, *, log_id: str) -> Self | None:
        """Parse the header's value; tags of other forms match nothing.

        Args:
            header: None if the client sent none.
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

    def known_version(self, current: int) -> int | None:
        """Return the newest version that the client can have seen, to report the changes since.

        None: the client has seen a version of another log.
        """
        if self.other_log:
            return None
        return max((version for version in self.versions if version <= current), default=current)


_ENCODER: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=True)

# The UUID namespace of command ids that are derived from idempotency keys.
_IDEMPOTENCY_KEYS: Final = uuid.UUID("6f2c53c1-5f5b-4d0c-9d3e-0b1a1d0f7c52")


class CommandContext(NamedTuple):
    """Context of one command, equal for all its attempts."""

    command_id: UUID
    metadata: EventMetadata
    is_repeatable: bool
    """Whether the client may retry it, because it has an idempotency key."""
    if_match: IfMatch | None = None
    is_dry_run: bool = False
    """Whether to decide the command without appending or storing anything."""


def command_id(idempotency_key: str | None, *, actor: str, path: str) -> UUID:
    """Return the id of a command: derived from key, actor and path; random without a key."""
    if idempotency_key is None:
        return uuid.uuid4()
    return uuid.uuid5(_IDEMPOTENCY_KEYS, json.dumps([actor, path, idempotency_key]))


def fingerprint(method: str, body: Any) -> str:
    """Return the hash that distinguishes a retry from another command with the same key."""
    return hashlib.sha256(_ENCODER.encode([method, body]).encode()).hexdigest()
