"""The documents of drivers about which subscribers are reminded, and the reminders that were sent."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from psycopg import AsyncConnection, sql

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from projections.notify.mail.stages import FIRST, Reminder, due_reminder
from read_model.tables import ENTITY_TABLES, EntityTable
from read_model.tables.search_terms import KEY_END, key_of, sortable_fields

DOCUMENTS: Final = {"licence": "driving_license_expiry", "passport": "passport_expiry_date"}
"""The driver's field with a document's last valid day, by document."""
(_TABLE,) = (table for table in ENTITY_TABLES if table.entity.name == "driver")
DRIVERS: Final[EntityTable] = _TABLE
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


# The sort keys have the days, as in the query API's due dates. Restricted drivers have none, and removed and
# erased ones have no row.
_FOUND: Final = sql.SQL(
    """
    SELECT id, {document} AS document, {field} AS field, split_part(sort_keys, {end}, {number}) AS day
    FROM {search} WHERE split_part(sort_keys, {end}, {number}) BETWEEN %(since)s AND %(until)s
    """
)
# An acknowledgement holds until its day, and until a later event has set the document's last day.
_DUE: Final = sql.SQL(
    """
    SELECT found.id, found.document, found.day, drivers.key_id, reminders.key_id, reminders.ciphertext
    FROM ({found}) AS found
    JOIN {drivers} AS drivers ON drivers.id = found.id AND NOT drivers.restricted
    LEFT JOIN notify.reminders AS reminders
      ON reminders.subscription_id = %(subscription)s AND reminders.driver = found.id
      AND reminders.document = found.document
    LEFT JOIN LATERAL (
      SELECT version, public_event ->> 'until' AS until FROM read.revisions
      WHERE entity = 'driver' AND entity_id = found.id AND type = 'driver.reminder_acknowledged'
        AND public_event ->> 'document' = found.document
      ORDER BY version DESC LIMIT 1
    ) AS acknowledged ON true
    WHERE acknowledged.version IS NULL OR acknowledged.until <= %(day)s OR EXISTS (
      SELECT FROM read.revisions
      WHERE entity = 'driver' AND entity_id = found.id AND version > acknowledged.version
        AND coalesce(personal::jsonb ? found.field, true)
    )
    """
)
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
    found = sql.SQL(" UNION ALL ").join(
        _FOUND.format(
            document=sql.Literal(document),
            field=sql.Literal(field),
            end=sql.Literal(KEY_END),
            number=sql.Literal(list(sortable_fields(DRIVERS.entity)).index(field) + 1),
            search=DRIVERS.search.identifier,
        )
        for document, field in DOCUMENTS.items()
    )
    until = key_of((day - timedelta(days=FIRST)).isoformat())
    days = {"since": key_of(_FIRST_DAY), "until": until, "day": day.isoformat()}
    async with connection.transaction():
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        complete = await connection.execute(_IS_COMPLETE, {"head": head, "version": DRIVERS.version})
        if await complete.fetchone() != (True,):
            raise Unready
        statement = _DUE.format(found=found, drivers=DRIVERS.identifier)
        rows = await (await connection.execute(statement, {**days, "subscription": subscription})).fetchall()
    await KEYS.load({row[3] for row in rows if row[3] is not None})
    keys = {row[3]: KEYS.get(row[3]) for row in rows if row[3] is not None}
    due = []
    for driver, document, day_key, key_id, sent_key, stored in rows:
        key = keys.get(key_id)
        if key is None and key_id is not None:  # erased since the row was read
            continue
        sent = None
        if stored is not None and sent_key == key_id:
            context = _context(subscription, driver, document)
            sent = _decode(stored if key is None else key.decrypt(stored, context))
        last_day = _day_of(day_key)
        if reminder := due_reminder(last_day, day, sent):
            due.append(DueDocument(driver, document, last_day, key, reminder))
    return sorted(due, key=lambda one: (one.last_day, one.driver, one.document))


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
