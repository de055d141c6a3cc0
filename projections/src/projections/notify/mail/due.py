"""The documents of drivers about which subscribers are reminded, and the reminders that were sent."""

import json
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from ops.base.encryption.rows import decrypt_row
from projections.notify.mail.stages import FIRST, Reminder, due_reminder
from read_model.tables import ENTITY_TABLES
from read_model.tables.acknowledgements import ACKNOWLEDGEMENTS, DOCUMENTS, is_acknowledged
from read_model.tables.search_terms import key_of, sortable_fields

(DRIVERS,) = (table for table in ENTITY_TABLES if table.entity.name == "driver")
_FIRST_DAY: Final = "0000-01-01"


class Unready(Exception):
    """The read tables are behind the log, or their search terms are incomplete; their workers mend both."""


class DueDocument(NamedTuple):
    """A document about which a subscription has not been reminded at its current stage."""

    driver: str
    document: str
    last_day: date
    key: Key | None
    """The driver's key; None if the driver's log is not encrypted."""
    reminder: Reminder
    name: str = ""
    """The driver's name; empty if the mail contains no names."""


# The sort keys have the days, as in the query API's due dates. Restricted drivers have none, and removed and
# erased ones have no row.
_KEYS: Final = {
    document: f"split_part(sort_keys, E'\\n', {list(sortable_fields(DRIVERS.entity)).index(field) + 1})"
    for document, field in DOCUMENTS.items()
}
_FOUND: Final = " UNION ALL ".join(
    f"SELECT id, '{document}' AS document, {key} AS day FROM read.drivers_search"  # noqa: S608 - constants
    f" WHERE {key} BETWEEN %(since)s AND %(until)s"
    for document, key in _KEYS.items()
)
_DUE: Final = f"""
SELECT found.id, found.document, found.day, drivers.key_id, reminders.key_id, reminders.ciphertext
FROM ({_FOUND}) AS found
JOIN read.drivers ON drivers.id = found.id AND NOT drivers.restricted
LEFT JOIN notify.reminders
  ON subscription_id = %(subscription)s AND driver = found.id AND reminders.document = found.document
""".encode()  # noqa: S608 - constants
_NAMED: Final = """
SELECT id, version, record::text, key_id, ciphertext FROM read.drivers WHERE id = ANY(%s) AND NOT restricted
"""
_IS_COMPLETE: Final = """
SELECT coalesce(min(position) FILTER (WHERE projection = 'drivers'), 0) >= %(head)s
  AND coalesce(min(position) FILTER (WHERE projection = 'revisions'), 0) >= %(head)s
  AND (%(head)s = 0 OR EXISTS (
    SELECT FROM read.searches WHERE projection = 'drivers' AND version >= %(version)s
  ))
FROM read.positions
"""
_RECORD: Final = """
INSERT INTO notify.reminders (subscription_id, driver, document, key_id, ciphertext)
SELECT %s, * FROM unnest(%s::text[], %s::text[], %s::text[], %s::bytea[])
ON CONFLICT (subscription_id, driver, document)
DO UPDATE SET key_id = excluded.key_id, ciphertext = excluded.ciphertext
"""
_DROP: Final = """
DELETE FROM notify.reminders
WHERE subscription_id = %s AND NOT EXISTS (SELECT FROM read.drivers WHERE id = driver)
"""


async def read_due(
    connection: AsyncConnection, subscription: str, day: date, *, head: int
) -> list[DueDocument]:
    """Return the documents that a digest of a day contains, by last day and driver.

    Args:
        head: a position that the read tables must show.

    Raises:
        Unready: they do not yet.
        KeysUnavailable: the drivers' keys cannot be loaded now.
    """
    until = key_of((day - timedelta(days=FIRST)).isoformat())
    parameters = {"since": key_of(_FIRST_DAY), "until": until, "subscription": subscription}
    async with connection.transaction():
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        complete = await connection.execute(_IS_COMPLETE, {"head": head, "version": DRIVERS.version})
        if await complete.fetchone() != (True,):
            raise Unready
        rows = await (await connection.execute(_DUE, parameters)).fetchall()
        found = await connection.execute(ACKNOWLEDGEMENTS, {"ids": [row[0] for row in rows]})
        silent = {
            (driver, of) for driver, of, last in await found.fetchall() if is_acknowledged(last, str(day))
        }
    await KEYS.load({row[3] for row in rows if row[3] is not None})
    keys = {row[3]: KEYS.get(row[3]) for row in rows if row[3] is not None}
    due = []
    for driver, document, day_key, key_id, sent_key, stored in rows:
        key = keys.get(key_id)
        # The second: erased since the row was read.
        if (driver, document) in silent or (key is None and key_id is not None):
            continue
        sent = None
        if stored is not None and sent_key == key_id:
            context = _context(subscription, driver, document)
            sent = _decode(stored if key is None else key.decrypt(stored, context))
        last_day = _day_of(day_key)
        if reminder := due_reminder(last_day, day, sent):
            due.append(DueDocument(driver, document, last_day, key, reminder))
    return sorted(due, key=lambda one: (one.last_day, one.driver, one.document))


async def with_names(connection: AsyncConnection, due: Sequence[DueDocument]) -> list[DueDocument]:
    """Return documents with the names of their drivers, whose keys `read_due` has loaded."""
    rows = await (await connection.execute(_NAMED, ([one.driver for one in due],))).fetchall()
    names = {}
    for driver, version, record, key_id, ciphertext in rows:
        texts = decrypt_row(DRIVERS.encrypted_as, f"driver:{driver}", version, key_id, ciphertext)
        names[driver] = json.loads(texts[0] if texts else record)["name"] or ""
    return [one._replace(name=names.get(one.driver, "")) for one in due]


async def record_reminders(
    connection: AsyncConnection, subscription: str, sent: Sequence[DueDocument]
) -> None:
    """Store the reminders of a digest, encrypted under the driver's key, and drop those of absent drivers.

    Erasing a driver makes them unreadable; the days of its documents are not stored in plain text.
    """
    rows = [
        (
            one.driver,
            one.document,
            one.key and one.key.id,
            encoded
            if one.key is None
            else one.key.encrypt(encoded, _context(subscription, one.driver, one.document)),
        )
        for one in sent
        for encoded in (_encode(one.reminder),)
    ]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    await connection.execute(_RECORD, (subscription, *columns))
    await connection.execute(_DROP, (subscription,))


def _context(subscription: str, driver: str, document: str) -> bytes:
    return f"notify.reminders|{subscription}|{driver}|{document}".encode()


def _encode(reminder: Reminder) -> bytes:
    return f"{reminder.last_day} {reminder.stage}".encode()


def _decode(stored: bytes) -> Reminder:
    day, stage = stored.decode().split(" ")
    return Reminder(date.fromisoformat(day), int(stage))


def _day_of(key: str) -> date:
    """Return the day of a sort key, in which each number follows its length (`search_terms.key_of`)."""
    year, month, day = (int(number[1:].rstrip("\x01")) for number in key.split("-"))
    return date(year, month, day)
