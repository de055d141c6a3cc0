"""What surrounds a command: who, in which request, and on what condition."""

import hashlib
import json
import uuid
from typing import Any, Final, NamedTuple
from uuid import UUID

from command_api.commands.if_match import IfMatch
from command_api.domain.events import EventMetadata

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
