"""The subscriptions, decrypted from their read table."""

import json
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

import structlog
from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import DecryptionError, Key
from ops.base.encryption.rows import decrypt_row

logger = structlog.get_logger()

ENTITY: Final = "subscription"
TABLE: Final = "subscriptions"

_SELECT: Final = """
SELECT id, version, record::text, key_id, ciphertext FROM read.subscriptions WHERE NOT restricted
"""


@dataclass(frozen=True)
class Subscription:
    """A subscription; fields as in its record."""

    id: str
    key_id: str | None
    content: Literal["events", "due_dates"]
    channel: Literal["email", "webhook"]
    is_active: bool
    entity_types: frozenset[str]
    """Empty: all."""
    event_kinds: frozenset[str]
    """Empty: all."""
    filter: tuple[str, ...]
    """Conditions `field=value`."""
    recipients: tuple[str, ...]
    url: str | None
    schedule: Literal["at_once", "daily"]
    hour: int
    time_zone: str
    secret_generation: int
    key: Key | None = field(compare=False, repr=False)
    """The data key of the record; None if the record is not encrypted."""

    @classmethod
    def from_record(cls, entity_id: str, record: dict[str, Any], key: Key | None) -> Self:
        """Return the subscription of a decrypted record."""
        return cls(
            id=entity_id,
            key_id=None if key is None else key.id,
            content=record["content"],
            channel=record["channel"],
            is_active=record["status"] == "active",
            entity_types=frozenset(record["entity_types"]),
            event_kinds=frozenset(record["event_kinds"]),
            filter=tuple(record["filter"]),
            recipients=tuple(record["recipients"]),
            url=record["url"],
            schedule=record["schedule"],
            hour=record["hour"],
            time_zone=record["time_zone"],
            secret_generation=record["secret_generation"],
            key=key,
        )


async def read_subscriptions(connection: AsyncConnection) -> dict[str, Subscription]:
    """Return all subscriptions by id, without restricted and erased ones.

    Raises:
        KeysUnavailable: the keys cannot be loaded now.
    """
    rows = await (await connection.execute(_SELECT)).fetchall()
    await KEYS.load(key_id for *_, key_id, _ in rows if key_id is not None)
    found = {}
    for entity_id, version, record, key_id, ciphertext in rows:
        try:
            texts = decrypt_row(TABLE, f"{ENTITY}:{entity_id}", version, key_id, ciphertext)
        except DecryptionError:
            logger.exception("subscription_unreadable", subscription=entity_id)
            continue
        if texts is None and key_id is not None:  # erased
            continue
        key = None if key_id is None else KEYS.get(key_id)
        decrypted = json.loads(texts[0] if texts else record)
        found[entity_id] = Subscription.from_record(entity_id, decrypted, key)
    return found
