"""The complete rights of each service in the database, and statements that must be refused."""

from contextlib import ExitStack
from itertools import chain

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ops.launcher.postgres.groups import SERVICE_GROUPS
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

READ, ADD, CHANGE = "SELECT", "SELECT INSERT", "SELECT INSERT UPDATE DELETE"
OWNED = "SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER MAINTAIN"
PUBLIC = "entity, entity_id, moment, position, public_event, public_state, traceparent, type, version"
"""Columns of revisions that the relay may read."""
NOTIFIED = "entity, entity_id, moment, position, public_event, type, version"
"""Columns of revisions that the notifier may read."""
ACTION_STATE = "attempts, done, seen_at, state, total, words, worker"
"""Columns of actions that a worker may change: not the request itself."""
ERASURE_STATE = "forgotten, health, instance, name, seen_at"
"""Columns of services that a worker may read, to await erasures."""


def all_roles(rights: str) -> dict[str, str]:
    return dict.fromkeys(SERVICE_GROUPS, rights)


def workers(rights: str) -> dict[str, str]:
    """Rights of both roles of workers."""
    return dict.fromkeys(("projections", "sealer"), rights)


# An object or a right that is missing here fails the test, so that each new one is decided explicitly.
RIGHTS: dict[str, dict[str, str]] = {
    "schema log": all_roles("USAGE"),
    "schema read": dict.fromkeys(("notify", "query", "relay"), "USAGE") | workers("USAGE CREATE"),
    "schema audit": dict.fromkeys(("command", "notify", "query", "sealer"), "USAGE"),
    "schema sign_in": {"command": "USAGE", "query": "USAGE"},
    "schema operations": all_roles("USAGE"),
    "schema privacy": all_roles("USAGE"),
    "schema notify": dict.fromkeys(("command", "notify", "query", "sealer"), "USAGE"),
    "schema preferences": dict.fromkeys(("command", "query", "sealer"), "USAGE"),
    "schema public": all_roles("USAGE"),  # contains extensions
    "database": all_roles("CONNECT"),
    "log.events": {"command": READ, "query": READ} | workers(READ),
    "log.actors": dict.fromkeys(("command", "projections", "query", "sealer"), "SELECT"),
    "log.actor_statuses": {"command": READ, "query": READ},
    "log.append_lock": {},
    "log.outcomes": {},
    "log.head": all_roles(READ),
    "log.identity": all_roles(READ),
    "log.former_identities": {"sealer": READ},
    "log.schema_revisions": all_roles(READ),
    "log.unique_key": {"command": "SELECT INSERT DELETE TRUNCATE"},
    "log.unique_refill_lock": {"command": "DELETE"},
    "log.unique_values": {"command": "SELECT INSERT DELETE TRUNCATE"},
    "log.snapshots": {"command": ADD},
    "read.drivers": {"notify": "SELECT(ciphertext, id, key_id, record, restricted, version)", "query": READ}
    | workers(OWNED),
    "read.trailers": {"query": READ} | workers(OWNED),
    "read.horses": {"query": READ} | workers(OWNED),
    "read.subscriptions": {"notify": READ, "query": READ} | workers(OWNED),
    "read.locations": {"query": READ} | workers(OWNED),
    "read.assignments": {"query": READ} | workers(OWNED),
    "read.drivers_search": {"notify": "SELECT(id, sort_keys)", "query": READ} | workers(OWNED),
    "read.trailers_search": {"query": READ} | workers(OWNED),
    "read.horses_search": {"query": READ} | workers(OWNED),
    "read.subscriptions_search": {"query": READ} | workers(OWNED),
    "read.locations_search": {"query": READ} | workers(OWNED),
    "read.assignments_search": {"query": READ} | workers(OWNED),
    "read.searches": dict.fromkeys(("notify", "query"), READ) | workers(CHANGE),
    "read.revisions": {"query": READ, "relay": f"SELECT({PUBLIC})", "notify": f"SELECT({NOTIFIED})"}
    | workers(OWNED),
    "read.assignment_intervals": {"query": READ} | workers(OWNED),
    "read.positions": dict.fromkeys(("notify", "query", "relay"), READ) | workers(CHANGE),
    "read.quarantined_streams": {"query": READ} | workers(CHANGE),
    "read.relay_positions": {"relay": "SELECT INSERT UPDATE"},
    "audit.accesses": {"query": READ, "sealer": READ},
    "audit.checkpoints": {"query": READ, "sealer": ADD},
    "audit.checkpoints_number_seq": {},
    "audit.signatures": {"query": "SELECT INSERT(text)", "sealer": "SELECT UPDATE(note) DELETE"},
    "audit.subtrees": {"query": READ, "sealer": "SELECT INSERT DELETE"},
    "audit.time_stamps": {"query": READ, "sealer": ADD},
    "sign_in.revocations": {"command": READ, "query": READ},
    "sign_in.revocations_number_seq": {},
    "operations.actions": {"query": READ} | workers(f"SELECT UPDATE({ACTION_STATE})"),
    "operations.backups": {"query": READ},
    "operations.backups_number_seq": {},
    "operations.samples": {"query": READ},
    "operations.services": {"query": READ} | workers(f"SELECT({ERASURE_STATE})"),
    "operations.sizes": {"query": READ},
    "operations.verifications": {"query": READ, "sealer": "INSERT"},
    "operations.verifications_number_seq": {},
    "privacy.erasures": {"query": READ} | workers("SELECT INSERT UPDATE"),
    "privacy.cache_purges": all_roles(READ) | workers("SELECT UPDATE(number)"),
    "notify.confirmations": {"notify": "SELECT DELETE", "sealer": READ},
    "notify.cursors": {"notify": CHANGE, "query": READ, "sealer": READ},
    "notify.digests": {"notify": CHANGE, "sealer": READ},
    "notify.reminders": {"notify": CHANGE, "sealer": READ},
    "notify.deliveries": {"notify": "SELECT INSERT DELETE", "query": READ, "sealer": READ},
    "notify.deliveries_number_seq": {},
    "notify.requests": {"notify": "SELECT UPDATE(is_done) DELETE", "sealer": READ},
    "preferences.views": {"query": READ, "sealer": "SELECT DELETE"},
    "preferences.former_keys": {"sealer": "SELECT INSERT DELETE"},
    "public.fleetlog_migrations": {},
    "function log.append": {"command": "EXECUTE"},
    "function log.forget_actor": workers("EXECUTE"),
    "function log.name_actor": {"command": "EXECUTE", "query": "EXECUTE"},
    "function log.keys_after": dict.fromkeys(("command", "notify", "query"), "EXECUTE") | workers("EXECUTE"),
    "function log.forget_outcomes": workers("EXECUTE"),
    "function log.lock_appends": {"command": "EXECUTE"},
    "function log.rewrite_unique_values": workers("EXECUTE"),
    "function log.stop": {"relay": "EXECUTE"} | workers("EXECUTE"),
    "function read.add_assignment_intervals": workers("EXECUTE"),
    "function read.intervals_of_revisions": workers("EXECUTE"),
    "function read.assigned_records": {"query": "EXECUTE"} | workers("EXECUTE"),
    "function read.assigned_time": {"query": "EXECUTE"} | workers("EXECUTE"),
    "function audit.access_hash": {},
    "function audit.forget_accesses": {"sealer": "EXECUTE"},
    "function notify.append": {"notify": "EXECUTE"},
    "function audit.record_access": dict.fromkeys(("command", "notify", "query"), "EXECUTE"),
    "function notify.former_secret": {"notify": "EXECUTE", "query": "EXECUTE"},
    "function notify.confirm": {"command": "EXECUTE"},
    "function notify.renew_confirmations": {"query": "EXECUTE"},
    "function notify.request": {"command": "EXECUTE"},
    "function operations.ask": {"command": "EXECUTE"},
    "function operations.report": all_roles("EXECUTE"),
    "function operations.sample": all_roles("EXECUTE"),
    "function sign_in.revoke": {"command": "EXECUTE"},
    "function audit.subjects_of": {"query": "EXECUTE"},
    "function preferences.drop_view": {"command": "EXECUTE"},
    "function preferences.keep_view": {"command": "EXECUTE"},
    "function privacy.keep_receipt": {},
    "function read.create_entity_table": {},
    "function read.create_search_table": {},
    "function read.json_bytes": all_roles("EXECUTE"),
}

# Every right of a login role on our objects, directly or through groups.
MATRIX = """
WITH
ours AS (SELECT oid, nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),
objects (name, kind, oid, possible) AS (
  SELECT 'schema ' || nspname, 'schema', oid, 'USAGE CREATE' FROM ours
  UNION ALL
  SELECT 'database', 'database', oid, 'CREATE CONNECT TEMPORARY'
  FROM pg_database WHERE datname = current_database()
  UNION ALL
  SELECT nspname || '.' || relname, CASE relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, pg_class.oid,
    CASE relkind WHEN 'S' THEN 'USAGE SELECT UPDATE'
    ELSE 'SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER MAINTAIN' END
  FROM pg_class JOIN ours ON ours.oid = relnamespace WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
  UNION ALL
  SELECT 'function ' || nspname || '.' || proname, 'function', pg_proc.oid, 'EXECUTE'
  FROM pg_proc JOIN ours ON ours.oid = pronamespace
  WHERE NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
)
SELECT name, role, string_agg(CASE WHEN CASE kind
  WHEN 'schema' THEN has_schema_privilege(login, objects.oid, right_)
  WHEN 'database' THEN has_database_privilege(login, objects.oid, right_)
  WHEN 'sequence' THEN has_sequence_privilege(login, objects.oid, right_)
  WHEN 'function' THEN has_function_privilege(login, objects.oid, right_)
  ELSE has_table_privilege(login, objects.oid, right_)
END THEN right_ WHEN kind = 'table' AND right_ IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') THEN (
  SELECT right_ || '(' || string_agg(attname, ', ' ORDER BY attname) || ')' FROM pg_attribute
  WHERE attrelid = objects.oid AND attnum > 0 AND has_column_privilege(login, attrelid, attnum, right_)
) END, ' ' ORDER BY number)
FROM objects
CROSS JOIN unnest(%s::text[]) AS role
CROSS JOIN LATERAL (SELECT current_database() || '_' || role) AS logins (login)
CROSS JOIN LATERAL string_to_table(possible, ' ') WITH ORDINALITY AS rights (right_, number)
GROUP BY objects.oid, name, role
"""

# Statements that need ownership, or no right on an object of ours.
OWNS_OBJECTS = [
    "DROP TABLE log.events",
    "ALTER TABLE log.events DISABLE TRIGGER ALL",
    "ALTER TABLE log.events OWNER TO CURRENT_USER",
    "CREATE RULE more AS ON INSERT TO log.events DO INSTEAD NOTHING",
    "CREATE OR REPLACE FUNCTION log.stop(reason text) RETURNS void LANGUAGE sql AS ''",
    "DROP FUNCTION log.append",
    "CREATE TABLE log.mine ()",
]
HOLDS_UP_OTHERS = [
    "DO $$ BEGIN LOCK TABLE log.append_lock IN ACCESS SHARE MODE; END $$",
    "DO $$ BEGIN LOCK TABLE log.events IN ROW SHARE MODE; END $$",
    "SELECT 1 FROM log.events FOR KEY SHARE",
    "SELECT pg_advisory_xact_lock(hashtext('fleetlog.append'))",
    "SELECT pg_advisory_lock(5074542366556974951)",  # of migrations
    "SELECT pg_advisory_lock(1, 1), pg_advisory_xact_lock_shared(1, 1), pg_try_advisory_xact_lock(1)",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'fleetlog'",
]
BEYOND_THE_SERVICE = [
    "CREATE TABLE public.mine ()",
    "CREATE SCHEMA mine",
    "CREATE ROLE mine",
    "CREATE DATABASE mine",
    "CREATE EXTENSION dblink SCHEMA log",
    "CREATE TEMPORARY TABLE events ()",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "ALTER ROLE CURRENT_USER CONNECTION LIMIT -1",
    "ALTER SYSTEM SET fsync = off",
    "DO $$ BEGIN LOCK TABLE pg_catalog.pg_class IN ACCESS EXCLUSIVE MODE; END $$",
    "SELECT rolpassword FROM pg_authid",
    "SELECT pg_read_file('postgresql.conf')",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SET session_replication_role = replica",
    "SET ROLE fleetlog",
]
TAKES_LOCKS = ["SELECT pg_try_advisory_lock(1, 1)"]
"""Workers may: such locks are their leases."""
MUST_NOT = {
    role: [
        *(f"SET ROLE {group}" for group in {*chain(*SERVICE_GROUPS.values())} - {*groups}),
        *(TAKES_LOCKS if role in ("command", "query") else []),
    ]
    for role, groups in SERVICE_GROUPS.items()
}
MUST_NOT["projections"].append("GRANT fleetlog_sealer TO CURRENT_USER")


def test_each_service_has_exactly_the_listed_rights(module_database: Database) -> None:
    with psycopg.connect(module_database.owner) as connection:
        found: dict[str, dict[str, str]] = {}
        for name, role, rights in connection.execute(MATRIX, [list(SERVICE_GROUPS)]):
            found.setdefault(name, {}).update({role: rights} if rights else {})
    assert found == RIGHTS


@pytest.mark.parametrize("role", SERVICE_GROUPS)
def test_forbidden_statements_of_a_service_are_refused(module_database: Database, role: str) -> None:
    allowed = []
    with psycopg.connect(getattr(module_database, role), autocommit=True) as connection:
        for statement in (*OWNS_OBJECTS, *HOLDS_UP_OTHERS, *BEYOND_THE_SERVICE, *MUST_NOT[role]):
            try:
                connection.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                continue
            except psycopg.Error as error:
                allowed.append(f"{statement}: {error}")
            else:
                allowed.append(statement)
    assert allowed == []


def test_an_append_ignores_the_callers_search_path(
    module_database: Database,
) -> None:
    append = (
        "SELECT position FROM"
        " log.append(NULL, '{NULL}', '{NULL}', '{NULL}', '{1}', '{s}', '{1}', '{t}', ARRAY[''::bytea])"
    )
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA trap; CREATE TABLE trap.events (); CREATE TABLE trap.head ()")
        connection.execute(
            "CREATE FUNCTION trap.clock_timestamp() RETURNS timestamptz"
            " LANGUAGE sql AS $$ SELECT 'epoch'::timestamptz $$"
        )
        connection.execute("GRANT USAGE ON SCHEMA trap TO PUBLIC")
        try:
            with psycopg.connect(module_database.command, autocommit=True) as writer:
                writer.execute("SET search_path = trap, log")
                assert writer.execute(append).fetchone() == (1,)
            now = connection.execute("SELECT moment > now() - interval '1 minute' FROM log.events").fetchone()
            assert now == (True,)
        finally:
            connection.execute("DROP SCHEMA trap CASCADE")


@pytest.mark.parametrize("role", SERVICE_GROUPS)
def test_a_service_cannot_exhaust_the_connections_of_others(database: Database, role: str) -> None:
    with ExitStack() as opened:
        taken = 0
        with pytest.raises(psycopg.OperationalError, match="too many connections for role"):  # noqa: PT012
            while taken < 1_000:
                opened.enter_context(psycopg.connect(getattr(database, role)))
                taken += 1
        for other in SERVICE_GROUPS.keys() - {role}:
            with psycopg.connect(getattr(database, other)) as connection:
                connection.execute("SELECT position FROM log.head")


def test_other_roles_cannot_connect(database: Database) -> None:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute("CREATE ROLE stranger LOGIN PASSWORD 'known'")
    try:
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(make_conninfo(database.owner, user="stranger", password="known"))
    finally:
        with psycopg.connect(database.owner, autocommit=True) as connection:
            connection.execute("DROP ROLE stranger")
