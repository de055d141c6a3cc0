"""The users who have acted: their names, and numbers of their events and access log entries."""

from datetime import UTC, datetime
from typing import Any, Final

from ops.base.encryption.actors import ACTORS, ActorEntry
from ops.base.records.entities import ACTOR
from query_api.database.readers import Readers
from query_api.database.source import Source, fetch
from query_api.history.wire import moment_text
from query_api.privacy.report import FORMAT
from query_api.privacy.requests import is_erased, last_request
from query_api.saved_views import saved_views_of

MOST_ACTORS: Final = 10_000
NAME: Final = "name"
"""The only personal field of users."""
_ALL: Final = f"""
SELECT sub, statement_timestamp(), EXISTS (
  SELECT FROM privacy.erasures
  WHERE entity = '{ACTOR.name}' AND entity_id = sub AND receipt IS NOT NULL
)
FROM log.actors ORDER BY sub LIMIT {MOST_ACTORS}
"""  # noqa: S608 - constants only
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
    """Return all users, ordered by their current names.

    Args:
        names: whether names are included.
    """
    rows = await fetch(source, _ALL, prepare=False)
    actors = await ACTORS.load((sub, now) for sub, now, _ in rows)
    found = []
    for sub, now, receipt in rows:
        actor = actors[sub]
        name = None if actor.is_erased else actor.name(now)
        since = None if actor.is_erased or not actor.names else moment_text(actor.names[0][1])
        state = _state(actor, receipt=receipt)
        found.append({"sub": sub, NAME: name if names else None, "since": since, "state": state})
    return sorted(found, key=lambda one: ((one[NAME] or "\U0010ffff").casefold(), one["sub"]))


async def actor_privacy_status(source: Source, sub: str, *, names: bool) -> dict[str, Any] | None:
    """Return a user's privacy status, or None if the directory does not have the user."""
    rows = await fetch(source, _ONE, {"sub": sub})
    if not rows:
        return None
    ((now, events, unencrypted),) = rows
    actor = (await ACTORS.load([(sub, now)]))[sub]
    return {
        "id": sub,
        "entity": ACTOR.name,
        **await last_request(source, ACTOR, sub, names=names),
        "events": events,
        "in_the_clear": unencrypted,
        "fields": [NAME] if actor.names and not actor.is_erased else [],
    }


async def report_on_actor(readers: Readers, sub: str) -> dict[str, Any] | None:
    """Return all data held about a user, or None if the directory does not have the user."""

    status = await actor_privacy_status(readers.primary, sub, names=True)
    if status is None:
        return None
    actor = (await ACTORS.load([(sub, datetime.now(UTC))]))[sub]
    ((accesses,),) = await fetch(readers.searched, _ACCESSES, {"sub": sub})
    names = [] if actor.is_erased else actor.names
    views = await saved_views_of(readers.primary, sub)
    return {
        "format": FORMAT,
        "made_at": moment_text(datetime.now(UTC)),
        "entity": ACTOR.name,
        "id": sub,
        "standing": status,
        "names": [{NAME: name, "since": moment_text(since)} for name, since in names],
        "accesses": accesses,
        "views": [view.model_dump() for view in views],
        "places": _places(status["events"], accesses, erased=is_erased(status)),
    }


def _state(actor: ActorEntry, *, receipt: bool) -> str:
    if actor.is_erased:
        return "erased" if receipt else "erasing"
    return "restricted" if actor.is_restricted else "active"


def _places(events: int, accesses: int, *, erased: bool) -> list[dict[str, str]]:
    names = "erased names, which cannot be decrypted" if erased else "all names, encrypted"
    return [
        {"place": "the directory of actors", "what": names},
        {"place": "the log and the read tables", "what": f"{events} events that name the subject"},
        {"place": "the access log", "what": f"{accesses} entries that name the subject"},
        {"place": "saved views of lists", "what": "the user's own views, encrypted"},
        {"place": "backups", "what": "the same, encrypted, without the key"},
        {"place": "public events", "what": "a pseudonym, if any"},
    ]
