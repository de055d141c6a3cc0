"""Records as they were, opened where they are sealed, and without what must not be shown."""

import json
from collections.abc import Sequence

from ops.base.records.entities import EntityType
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, masked_record
from projections.tables.revision_texts import RevisionTexts
from query_api.reading.opening import Boxed, opening


def erased_record(entity: EntityType, record: bytes) -> bytes:
    """Return a record of which nobody can tell any more what was personal, and which names that."""
    return _without_personal_data(entity, record, ERASED)


def _without_personal_data(entity: EntityType, record: bytes, member: str) -> bytes:
    return json_bytes(masked_record(entity, json.loads(record), member))


async def opened_records(
    entity: EntityType,
    states: Sequence[bytes],
    sealed: Sequence[tuple[str, int, str | None, bytes | None, str | None]],
) -> bytes:
    """Return records as JSON, with commas between.

    Args:
        entity: their type.
        states: each in the clear, or all as one text.
        sealed: of each its id and version, what opens it, and why that must not be; empty where all is shown.

    Raises:
        KeysUnavailable: they cannot be opened now.
    """
    if not sealed:
        return b",".join(states)

    def joined(texts: Sequence[RevisionTexts | None]) -> bytes:
        return b",".join(
            (found.state or b"null")
            if found
            else _without_personal_data(entity, state, reason or ERASED)
            if key_id or reason
            else state
            for state, (_, _, key_id, _, reason), found in zip(states, sealed, texts, strict=True)
        )

    boxes = [
        Boxed(f"{entity.name}:{entity_id}", version, None if reason else key_id, box)
        for entity_id, version, key_id, box, reason in sealed
    ]
    return await opening(boxes, joined)
