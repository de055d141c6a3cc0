"""Metadata and contexts of commands."""

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID, uuid4

from command_api.commands.context import CommandContext, IfMatch, fingerprint
from command_api.domain.events import EventActor, EventMetadata

MOMENT: Final = datetime(2026, 11, 21, 4, 10, 45, 123456, tzinfo=UTC)
METADATA: Final = EventMetadata(
    actor=EventActor(sub="dev|asha", name="Asha"), request_id="r1", fingerprint="f" * 64
)


def command(
    body: Any = None, *, who: str = "asha", retry_id: UUID | None = None, if_match: int | None = None
) -> CommandContext:
    """The context of a command; commands with the same `retry_id` have the same idempotency key."""
    metadata = EventMetadata(
        actor=EventActor(sub=f"dev|{who}", name=f"Ravi's {who}"),
        request_id=uuid4().hex,
        client_request_id="for Ravi",
        reason="Ravi has moved",
        fingerprint=fingerprint("PUT", body),
    )
    condition = None if if_match is None else IfMatch.one(if_match)
    return CommandContext(
        retry_id or uuid4(), metadata, is_repeatable=retry_id is not None, if_match=condition
    )
