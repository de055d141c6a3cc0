"""A report of the data held about a record and who has seen it.

GDPR article 15 and DPDP Act 2023 section 11 give people the right to such a report.
"""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from ops.base.records.entities import EntityType
from query_api.access_log.views import views_of
from query_api.database.readers import Readers
from query_api.history.histories import history_page
from query_api.history.parameters import HistoryParameters
from query_api.history.past_states import latest_state, merged_records
from query_api.history.wire import moment_text
from query_api.http.parameters import MAX_LIMIT, PageParameters
from query_api.privacy.requests import is_erased, privacy_status

FORMAT: Final = "fleetlog-held/1"


async def report_on(entity: EntityType, readers: Readers, entity_id: str) -> dict[str, Any] | None:
    """Return all data held about a record and those merged into it, or None if the id was never used."""
    _, *merged = await merged_records(readers.source, entity, entity_id)
    parts = [await _report_on(entity, readers, one) for one in (entity_id, *merged)]
    return parts[0] and parts[0] | {"merged": parts[1:]}


async def _report_on(entity: EntityType, readers: Readers, entity_id: str) -> dict[str, Any] | None:
    status = await privacy_status(entity, readers.primary, entity_id, names=True)
    latest = await latest_state(readers.source, entity, entity_id)
    if status is None or latest is None:
        return None
    changes = await _every(
        HistoryParameters(limit=MAX_LIMIT), partial(history_page, readers.source, entity, entity_id)
    )
    views = await _every(
        PageParameters(limit=MAX_LIMIT),
        partial(views_of, readers.searched, entity, entity_id, restricted=True),
    )
    return {
        "format": FORMAT,
        "made_at": moment_text(datetime.now(UTC)),
        "entity": entity.name,
        "id": entity_id,
        "standing": status,
        "record": None if latest.record is None else json.loads(latest.record),
        "changes": [json.loads(change) for change in changes],
        "seen_by": views,
        "places": _places(entity, len(changes), len(views), erased=is_erased(status)),
    }


async def _every(page: PageParameters, read: Callable[[Any], Awaitable[tuple[Any, ...]]]) -> list[Any]:
    found: list[Any] = []
    while True:
        several, following, *_ = await read(page)
        found += several
        if following is None:
            return found
        page = page.model_copy(update={"cursor": following})


def _places(entity: EntityType, changes: int, views: int, *, erased: bool) -> list[dict[str, str]]:
    """Return where the data is stored; see `ops/docs/privacy.md`."""
    if erased:
        held = [
            {"place": "the log", "what": f"{changes} events, permanently; personal data cannot be decrypted"},
            {"place": "read tables", "what": "all changes, without personal data"},
        ]
    else:
        held = [
            {"place": "the log", "what": f"{changes} events, permanently; personal data is encrypted"},
            {"place": "read tables", "what": "the current record and all changes, encrypted"},
            {
                "place": "tables of search terms",
                "what": f"{', '.join(entity.searched)}, and sort keys of lists, while it is registered",
            },
        ]
    return [
        *held,
        {"place": "the access log", "what": f"who has seen it: at most {views} times"},
        {"place": "backups", "what": "the same, encrypted, without the key"},
        {"place": "public events", "what": "that it changed and when, without personal data"},
    ]
