"""What is known of those who act: what they are called, and how often they have done or seen something."""

from datetime import UTC, datetime
from typing import Any, Final

from ops.base.encryption.actors import ACTORS, Actor
from ops.base.records.entities import ACTOR
from query_api.history.wire import moment_text
from query_api.privacy.reading import is_over, requested_of
from query_api.reading.readers import Readers
from query_api.reading.source import Source, fetch
from query_api.saved_views.reading import saved_views_of

FORMAT: Final = "fleetlog-held/1"
MOST_ACTORS: Final = 10_000
NAME: Final = "name"
"""The only thing that is known of them."""
_ALL: Final = f"""
SELECT sub, statement_timestamp(), EXISTS (
  SELECT FROM privacy.erasures
  WHERE entity = '{ACTOR.name}' AND entity_id = sub AND receipt IS NOT NULL
)
FROM log.actors ORDER BY sub LIMIT {MOST_ACTORS}
"""  # noqa: S608 - put together from our own constants
_ONE: Final = """
SELECT statement_timestamp(), count(position), count(position) FILTER (WHERE actor_name IS NOT NULL)
FROM log.actors LEFT JOIN read.revisions ON actor_sub = sub
WHERE sub = %(sub)s GROUP BY sub
"""
_ACCESSES: Final = """
SELECT count(*) FROM audit.accesses
WHERE actor_sub = %(sub)s OR (action = 'views' AND strpos(details::text, to_json(%(sub)s::text)::text) > 0)
"""


async def all_actors(source: Source, *, names: bool) -> list[dict[str, Any]]:
    """Return all of them, by what they are called now.

    Args:
        names: whether whoever is asking is told what people are called.

    Raises:
        KeysUnavailable: their names cannot be opened now.
    """
    rows = await fetch(source, _ALL, prepare=False)
    actors = await ACTORS.load((sub, now) for sub, now, _ in rows)
    told = []
    for sub, now, receipt in rows:
        actor = actors[sub]
        name = None if actor.is_erased else actor.name(now)
        since = None if actor.is_erased or not actor.names else moment_text(actor.names[0][1])
        state = _state(actor, receipt=receipt)
        told.append({"sub": sub, NAME: name if names else None, "since": since, "state": state})
    return sorted(told, key=lambda one: ((one[NAME] or "\U0010ffff").casefold(), one["sub"]))


async def actor_standing(source: Source, sub: str, *, names: bool) -> dict[str, Any] | None:
    """Return how it stands with somebody; None: the directory does not know them.

    Args:
        sub: the subject.
        names: as for `all`.

    Raises:
        KeysUnavailable: what is sealed cannot be opened now.
    """
    rows = await fetch(source, _ONE, {"sub": sub})
    if not rows:
        return None
    ((now, events, in_the_clear),) = rows
    actor = (await ACTORS.load([(sub, now)]))[sub]
    asked = await requested_of(source, ACTOR, sub, names=names)
    return {
        "id": sub,
        "entity": ACTOR.name,
        **asked,
        "events": events,
        "in_the_clear": in_the_clear,
        "fields": [NAME] if actor.names and not actor.is_erased else [],
    }


async def report_on_actor(readers: Readers, sub: str) -> dict[str, Any] | None:
    """Return all data about a member of staff; None: the directory does not have them.

    Args:
        readers: what to read with.
        sub: the subject.

    Raises:
        KeysUnavailable: what is sealed cannot be opened now.
    """
    standing = await actor_standing(readers.primary, sub, names=True)
    if standing is None:
        return None
    actor = (await ACTORS.load([(sub, datetime.now(UTC))]))[sub]
    ((accesses,),) = await fetch(readers.searched, _ACCESSES, {"sub": sub})
    known = [] if actor.is_erased else actor.names
    views = await saved_views_of(readers.primary, sub)
    return {
        "format": FORMAT,
        "made_at": moment_text(datetime.now(UTC)),
        "entity": ACTOR.name,
        "id": sub,
        "standing": standing,
        "names": [{NAME: name, "since": moment_text(since)} for name, since in known],
        "accesses": accesses,
        "views": [view.model_dump() for view in views],
        "places": _places(standing["events"], accesses, erased=is_over(standing)),
    }


def _state(actor: Actor, *, receipt: bool) -> str:
    if actor.is_erased:
        return "erased" if receipt else "erasing"
    return "restricted" if actor.is_restricted else "active"


def _places(events: int, accesses: int, *, erased: bool) -> list[dict[str, str]]:
    names = "that they had names, which nobody has any more" if erased else "all their names, sealed"
    return [
        {"place": "the directory of actors", "what": names},
        {"place": "the log, and tables that are read", "what": f"{events} events that name the subject"},
        {"place": "the access log", "what": f"{accesses} entries that name the subject"},
        {"place": "saved views of lists", "what": "those that they have saved, sealed"},
        {"place": "backups", "what": "the same, sealed, without the key"},
        {"place": "public events", "what": "a pseudonym, if any"},
    ]
