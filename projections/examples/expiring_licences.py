"""A custom read model of licences that expire within 30 days, with the `eventsourcing` library.

It copies PERSONAL DATA: only users with the permission `personal:read` may run it and read its schema. The
copy is not masked, and you must protect and delete it yourself: an erasure in the log does not reach it. Set
FLEETLOG_KEYS as for the services; without it names are null. Its role needs these rights:

    CREATE ROLE licences LOGIN PASSWORD 'secret'; GRANT CONNECT ON DATABASE fleetlog TO licences;
    GRANT USAGE ON SCHEMA log TO licences; GRANT SELECT ON log.events, log.head TO licences;
    CREATE SCHEMA licences AUTHORIZATION licences;

Set PERSISTENCE_MODULE=command_api.persistence, POSTGRES_SCHEMA=licences, POSTGRES_USER=licences, and
POSTGRES_PASSWORD, _HOST, _PORT and _DBNAME. After a restart it continues where it stopped.
"""

from typing import Any

from eventsourcing.application import Application
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner
from psycopg.sql import SQL

from command_api.domain.events import DetailsChanged, Event, Registered, Removed

TABLE = SQL("CREATE TABLE IF NOT EXISTS licences.expiries (id text PRIMARY KEY, name text, expiry date)")
PUT = """INSERT INTO licences.expiries AS old VALUES (%s, %s, %s) ON CONFLICT (id) DO UPDATE
  SET name = coalesce(excluded.name, old.name), expiry = coalesce(excluded.expiry, old.expiry)"""
DELETE = "DELETE FROM licences.expiries WHERE id = %s"
EXPIRING = "SELECT concat_ws(' ', id, name, expiry) AS line FROM licences.expiries WHERE expiry - 30 <= now()"


class Licences(PostgresTrackingRecorder):
    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.sql_create_statements.append(TABLE.format())

    def keep(self, tracking: Tracking, *change: Any) -> None:
        with self.datastore.transaction(commit=True) as cursor:  # of row and position: each event counts once
            self._insert_tracking(cursor, tracking)
            if change:
                cursor.execute(*change)


class ExpiringLicences(Projection[Licences]):
    def process_event(self, event: Event, tracking: Tracking) -> None:
        changes = event.changes.items() if isinstance(event, DetailsChanged) else ()
        new = event.details if isinstance(event, Registered) else {name: ends.to for name, ends in changes}
        row = [event.entity_id, new.get("name"), new.get("driving_license_expiry")]
        change = (DELETE, row[:1]) if isinstance(event, Removed) else (PUT, row)
        self.view.keep(tracking, *(change if event.entity == "driver" else ()))


if __name__ == "__main__":
    with ProjectionRunner(
        application_class=Application[str], projection_class=ExpiringLicences, view_class=Licences
    ) as runner:
        runner.wait(runner.app.recorder.max_notification_id(), timeout=3600)
        with runner.view.datastore.cursor() as cursor:
            print(*(row["line"] for row in cursor.execute(EXPIRING)), "following", sep="\n", flush=True)
        runner.run_forever()
