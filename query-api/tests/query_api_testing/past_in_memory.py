"""The past of a fleet without a database: histories, lists as they were, and the timeline."""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime
from typing import Any

from ops.base.http.record_etags import RecordETag
from ops.base.records.entities import EntityType, entity_type
from ops.base.records.json_values import to_json
from ops.base.records.masks import ERASED
from projections.revisions.revision import Revision
from query_api.audit.calendar import zone_of
from query_api.audit.parameters import DaysParameters, Filter
from query_api.history.authors import Author
from query_api.history.changes import Change
from query_api.history.log_points import LogPoint
from query_api.history.parameters import HistoryParameters
from query_api.history.past_states import PastState
from query_api.history.points import Point
from query_api.history.wire import actor_json, moment_text
from query_api.http.parts import PartParameters
from query_api.masking.record_names import NAME_FIELDS, PERSONAL_NAMES


class PastInMemory:
    """Answers as `Histories`, `PastStates`, `Authors`, `PastLists` and `Timeline` do.

    Attributes:
        log_id: the log's name.
        revisions: of every position, in their order.
    """

    def __init__(self, log_id: str) -> None:
        """Begin with nothing."""
        self.log_id = log_id
        self.revisions: list[Revision] = []

    def position_at(self, moment: datetime) -> int:
        """Return the last position that is not after an instant."""
        return max((one.position for one in self.revisions if one.moment <= moment), default=0)

    def of(self, entity: EntityType, entity_id: str) -> list[Revision]:
        """Return an entity's revisions, the oldest first."""
        return [one for one in self.revisions if (one.entity, one.entity_id) == (entity.name, entity_id)]

    def latest_of(self, entity: EntityType, position: int) -> list[Revision]:
        """Return the last revision of each entity of a type up to a position, ordered by id."""
        last = {one.entity_id: one for one in self.revisions[:position] if one.entity == entity.name}
        return [last[entity_id] for entity_id in sorted(last)]

    async def changes(
        self, entity: EntityType, entity_id: str, part: HistoryParameters, *, names: bool = True
    ) -> tuple[list[bytes], str | None, bool]:
        """See `Histories`."""
        found = [
            one
            for one in self.of(entity, entity_id)
            if part.actor in (None, one.actor_sub) and part.field in (None, *_fields(one))
        ]
        shown, following = _part(found, [one.version for one in found], part)
        return [self._listed(one) for one in shown], None if following is None else str(following), False

    def _listed(self, one: Revision) -> bytes:
        listed = {
            "position": one.position,
            "version": one.version,
            "etag": str(RecordETag.of(one.version, self.log_id)),
            "type": one.type,
            "moment": moment_text(one.moment),
            "actor": actor_json(one.actor_sub, one.actor_name),
            "request_id": one.request_id,
            "client_request_id": one.client_request_id,
            "reason": one.reason,
            "changes": json.loads(one.changes),
        }
        return json.dumps(listed).encode()

    async def latest(self, entity: EntityType, entity_id: str, *, masked: bool = False) -> PastState | None:
        """See `PastStates`."""
        return self._state(self.of(entity, entity_id))

    async def state(
        self, entity: EntityType, entity_id: str, point: Point, *, masked: bool = False
    ) -> PastState | None:
        """See `PastStates`."""
        known = self.of(entity, entity_id)
        if point.moment is None:
            return self._state([one for one in known if one.version == point.version])
        position = self.position_at(point.moment)
        return self._state([one for one in known if one.position <= position])

    def _state(self, known: Sequence[Revision]) -> PastState | None:
        if not known:
            return None
        one = known[-1]
        record = None if one.state is None else one.state.encode()
        return PastState(self.log_id, one.position, one.version, one.moment, record, one.type)

    async def until(
        self, entity: EntityType, entity_id: str, version: int, *, masked: bool = False, names: bool = True
    ) -> AsyncIterator[Author]:
        """See `Authors`."""
        for one in reversed(self.of(entity, entity_id)):
            if one.version <= version:
                yield Author(one.version, one.moment, one.actor_sub, one.actor_name, one.type, _fields(one))

    async def point_at(self, moment: datetime) -> LogPoint:
        """See `PastLists`."""
        return LogPoint(self.log_id, 0, self.position_at(moment), 0)

    async def records(
        self, entity: EntityType, point: LogPoint, *, masked: bool = False
    ) -> AsyncIterator[bytes]:
        """See `PastLists`."""
        for one in self.latest_of(entity, point.position):
            if one.state is not None:
                yield one.state.encode()

    async def part(
        self, wanted: Filter, part: PartParameters, *, masked: bool = False, restricted: bool = False
    ) -> tuple[list[Change], int | None]:
        """See `Timeline`."""
        found = self._found(wanted, masked=masked)
        shown, following = _part(found, [one.position for one in found], part)
        return [_change(one, self.name_of(one)) for one in shown], following

    async def runs(self, wanted: Filter, told: Sequence[Change]) -> dict[str, dict[str, Any]]:
        """See `Timeline`."""
        return {}

    async def everything(
        self, wanted: Filter, *, descending: bool, masked: bool = False, restricted: bool = False
    ) -> AsyncIterator[list[Change]]:
        """See `Timeline`."""
        found = [_change(one, self.name_of(one)) for one in self._found(wanted, masked=masked)]
        if found:
            yield found[::-1] if descending else found

    async def counted(
        self, asked: DaysParameters, *, masked: bool = False, restricted: bool = False
    ) -> tuple[dict[date, int], int | None]:
        """See `Days`."""
        zone = zone_of(asked.zone)
        days = Counter(one.moment.astimezone(zone).date() for one in self._found(asked, masked=masked))
        return {day: days[day] for day in sorted(days) if asked.first <= day <= asked.last}, None

    def _found(self, wanted: Filter, *, masked: bool) -> list[Revision]:
        return [one for one in self.revisions if fits(wanted, one, self.name_of(one), masked=masked)]

    def name_of(self, one: Revision) -> str | None:
        """Return what a revision's record was called, or before it where it ended."""
        versions = {other.version: other.state for other in self.of(entity_type(one.entity), one.entity_id)}
        state = one.state or versions.get(one.version - 1)
        name: str | None = None if state is None else json.loads(state)[NAME_FIELDS[one.entity]]
        return name


def fits(wanted: Filter, one: Revision, name: str | None, *, masked: bool = False) -> bool:
    """Tell whether a filter lets a revision through: what each filter says, said again."""
    is_first = one.type == f"{one.entity}.registered"
    people = (one.actor_sub, one.actor_name)
    texts: tuple[str | None, ...] = (
        one.entity_id,
        name,
        *people,
        one.request_id,
        one.client_request_id,
        one.reason,
        one.changes,
    )
    if masked:
        own_id = one.request_id if re.fullmatch("[0-9a-f]{32}", one.request_id or "") else None
        harmless_name = None if one.entity in PERSONAL_NAMES else name
        texts = (one.entity_id, harmless_name, one.actor_sub, own_id, *_harmless_changes(one))
    return all(
        [
            wanted.entity in (None, one.entity),
            wanted.id in (None, one.entity_id),
            wanted.actor in (None, one.actor_sub, _pseudonym(one)),
            wanted.type in (None, one.type, one.type.partition(".")[2]),
            wanted.batch in (None, json.loads(one.public_event).get("batch")),
            wanted.field in (None, *([] if is_first else _fields(one))),
            wanted.since is None or one.moment >= wanted.since,
            wanted.until is None or one.moment < wanted.until,
            wanted.q is None or any(wanted.q.lower() in (text or "").lower() for text in texts),
        ]
    )


def _harmless_changes(one: Revision) -> list[str]:
    changes = json.loads(one.changes)
    harmless = entity_type(one.entity).harmless if changes else ()
    return [to_json(change) for change in changes if change["field"] in harmless]


def _pseudonym(one: Revision) -> str | None:
    """What the event stream calls who made a change; an empty text where it does not tell."""
    actor: dict[str, Any] = json.loads(one.public_event).get("actor") or {}
    name = str(actor.get("id", ""))
    return name if re.fullmatch("[0-9a-f]{32}", name) else ""


def _fields(one: Revision) -> list[str]:
    return [change["field"] for change in json.loads(one.changes)]


def _change(one: Revision, name: str | None) -> Change:
    people_and_requests = (one.actor_sub, one.actor_name, one.request_id, one.client_request_id, one.reason)
    personal = None if one.personal is None else json.loads(one.personal)
    nobody_tells = one.actor_sub is not None and one.actor_name is None
    unnamed = ERASED if nobody_tells else None  # nor is there a directory of actors here
    said = (*one[:6], *people_and_requests, one.changes.encode(), personal)
    public = json.loads(one.public_event)
    of_others = {name: public.get(name) for name in ("undoes", "batch")}
    return Change(*said, **of_others, clear_name=name, unnamed=unnamed)


def _part(found: list[Revision], keys: list[int], part: PartParameters) -> tuple[list[Revision], int | None]:
    """Return a part of what was found, of which the keys grow, and the cursor of the next one."""
    rows = list(zip(keys, found, strict=True))
    if part.descending:
        rows = rows[::-1]
    if part.cursor is not None:
        rows = [row for row in rows if (row[0] < part.cursor if part.descending else row[0] > part.cursor)]
    shown = rows[: part.limit]
    return [one for _, one in shown], shown[-1][0] if len(rows) > part.limit else None
