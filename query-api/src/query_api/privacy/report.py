"""All that is held about a record, where, and who has seen it: for whoever asks what is known of them.

GDPR article 15 and DPDP Act 2023 section 11 give people that right.
"""

import json
from datetime import UTC, datetime
from typing import Any, Final

from ops.base.records.entities import EntityType
from query_api.history.histories import history_part
from query_api.history.parameters import HistoryParameters
from query_api.history.past_states import latest_state
from query_api.history.wire import moment_text
from query_api.http.parameters import MAX_LIMIT, PartParameters
from query_api.privacy.reading import is_over, standing_of
from query_api.reading.readers import Readers
from query_api.views.reading import views_of

FORMAT: Final = "fleetlog-held/1"


async def report_on(readers: Readers, entity: EntityType, entity_id: str) -> dict[str, Any] | None:
    """Return all that is held about a record; None: its id was never used.

    Args:
        readers: what to read with.
        entity: the record's type.
        entity_id: its id.

    Raises:
        KeysUnavailable: what is sealed cannot be opened now.
    """
    standing = await standing_of(readers.primary, entity, entity_id, names=True)
    latest = await latest_state(readers.source, entity, entity_id)
    if standing is None or latest is None:
        return None
    changes = await _changes(readers, entity, entity_id)
    views = await _views(readers, entity, entity_id)
    return {
        "format": FORMAT,
        "made_at": moment_text(datetime.now(UTC)),
        "entity": entity.name,
        "id": entity_id,
        "standing": standing,
        "record": None if latest.record is None else json.loads(latest.record),
        "changes": changes,
        "seen_by": views,
        "places": _places(entity, len(changes), len(views), erased=is_over(standing)),
    }


async def _changes(readers: Readers, entity: EntityType, entity_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    part = HistoryParameters(limit=MAX_LIMIT)
    while True:
        changes, following, _ = await history_part(readers.source, entity, entity_id, part)
        found += map(json.loads, changes)
        if following is None:
            return found
        part = part.model_copy(update={"cursor": int(following)})


async def _views(readers: Readers, entity: EntityType, entity_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    part = PartParameters(limit=MAX_LIMIT)
    while True:
        views, following = await views_of(readers.searched, entity, entity_id, part, restricted=True)
        found += [view.told(masked=False) for view in views]
        if following is None:
            return found
        part = part.model_copy(update={"cursor": following})


def _places(entity: EntityType, changes: int, views: int, *, erased: bool) -> list[dict[str, str]]:
    """Return where all that is: `ops/docs/privacy.md` says more."""
    if erased:
        held = [
            {"place": "the log", "what": f"{changes} events, for ever; nobody can open what was personal"},
            {"place": "tables that are read", "what": "all its changes, without what was personal"},
        ]
    else:
        held = [
            {"place": "the log", "what": f"{changes} events, for ever; what is personal is sealed"},
            {"place": "tables that are read", "what": "the record as it is, and all its changes, sealed"},
            {
                "place": "tables of search terms",
                "what": f"{', '.join(entity.searched)}, and what lists are sorted by, while it is registered",
            },
        ]
    return [
        *held,
        {"place": "the access log", "what": f"who has seen it: {views} times or less"},
        {"place": "backups", "what": "the same, sealed, without the key"},
        {"place": "public events", "what": "that it changed and when, without what is personal"},
    ]
