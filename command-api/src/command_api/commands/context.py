"""A command's circumstances: user, request, and the condition `If-Match` (RFC 9110, section 13.1.1)."""

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


_ENCODER: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=True)

# Command ids made from idempotency keys live in a name space of their own.
_IDEMPOTENCY_KEYS: Final = uuid.UUID("6f2c53c1-5f5b-4d0c-9d3e-0b1a1d0f7c52")


class CommandContext(NamedTuple):
    """One command's circumstances, the same however often it is tried."""

    command_id: UUID
    metadata: EventMetadata
    may_be_repeat: bool
    """Whether it may come again as the same command: it carries an idempotency key."""
    if_match: IfMatch | None = None
    is_trial: bool = False
    """Whether it is only asked what would be decided: nothing is appended, nor kept."""


def command_id(idempotency_key: str | None, *, actor: str, path: str) -> UUID:
    """Return a command's id: the same for the same key, actor and path; without a key, a new one.

    Args:
        idempotency_key: what the client sent as `Idempotency-Key`.
        actor: the subject who sends the command.
        path: the address it is sent to.
    """
    if idempotency_key is None:
        return uuid.uuid4()
    return uuid.uuid5(_IDEMPOTENCY_KEYS, json.dumps([actor, path, idempotency_key]))


def fingerprint(method: str, body: Any) -> str:
    """Return the hash that tells a repeated command from another one with its key."""
    return hashlib.sha256(_ENCODER.encode([method, body]).encode()).hexdigest()
