"""What each service may do in the database: all of it, written out, and what it must not do, tried."""

import psycopg
import pytest

from ops.launcher.postgres.roles import SERVICE_GROUPS
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

READ, ADD, CHANGE = "SELECT", "SELECT INSERT", "SELECT INSERT UPDATE DELETE"
OWNED = "SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER MAINTAIN"

# An object or a right that is not here fails the test: whoever adds one says who may do what with it.
RIGHTS: dict[str, dict[str, str]] = {
    "schema log": dict.fromkeys(SERVICE_GROUPS, "USAGE"),
    "schema read": {"command": "USAGE", "projections": "USAGE CREATE", "query": "USAGE"},
    "schema audit": {"projections": "USAGE", "query": "USAGE"},
    "schema public": dict.fromkeys(SERVICE_GROUPS, "USAGE"),
    "database": dict.fromkeys(SERVICE_GROUPS, "CONNECT"),
    "log.events": {"command": READ, "projections": READ},
    "log.append_lock": {},
    "log.outcomes": {},
    "log.head": dict.fromkeys(SERVICE_GROUPS, READ),
    "log.identity": {"command": READ, "projections": READ},
    "log.former_identities": {"projections": READ},
    "log.schema_revisions": dict.fromkeys(SERVICE_GROUPS, READ),
    "read.drivers": {"projections": OWNED, "query": READ},
    "read.trailers": {"projections": OWNED, "query": READ},
    "read.horses": {"projections": OWNED, "query": READ},
    "read.locations": {"projections": OWNED, "query": READ},
    "read.revisions": {"command": READ, "projections": OWNED, "query": READ},
    "read.positions": {"projections": CHANGE, "query": READ},
    "read.quarantined_streams": {"projections": CHANGE, "query": READ},
    "read.relay_positions": {"projections": "SELECT INSERT UPDATE", "query": READ},
    "audit.accesses": {"projections": READ, "query": READ},
    "audit.checkpoints": {"projections": ADD},
    "audit.checkpoints_number_seq": {},
    "public.alembic_version": {},
    "function log.append": {"command": "EXECUTE"},
    "function log.forget_outcomes": {"projections": "EXECUTE"},
    "function read.json_bytes": dict.fromkeys(SERVICE_GROUPS, "EXECUTE"),
    "function log.stop": {"projections": "EXECUTE"},
    "function audit.access_hash": {},
    "function audit.record_access": {"query": "EXECUTE"},
}

# Every right that a login role has on anything of ours, however it came by it.
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
)
SELECT name, role, string_agg(right_, ' ' ORDER BY number) FILTER (WHERE CASE kind
  WHEN 'schema' THEN has_schema_privilege(login, objects.oid, right_)
  WHEN 'database' THEN has_database_privilege(login, objects.oid, right_)
  WHEN 'sequence' THEN has_sequence_privilege(login, objects.oid, right_)
  WHEN 'function' THEN has_function_privilege(login, objects.oid, right_)
  ELSE has_table_privilege(login, objects.oid, right_) OR CASE
    WHEN right_ IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
    THEN has_any_column_privilege(login, objects.oid, right_) ELSE false END
END)
FROM objects
CROSS JOIN unnest(%s::text[]) AS role
CROSS JOIN LATERAL (SELECT current_database() || '_' || role) AS logins (login)
CROSS JOIN LATERAL string_to_table(possible, ' ') WITH ORDINALITY AS rights (right_, number)
GROUP BY objects.oid, name, role
"""

APPEND_NOTHING = "SELECT * FROM log.append(NULL, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')"
APPEND_AS_BEFORE = "SELECT * FROM log.append('{}', '{}', '{}', '{}', '{}', '{}')"
WRITES_TO_THE_LOG = [
    "INSERT INTO log.events VALUES (1, 'stream', 1, 'topic', '', now())",
    "UPDATE log.events SET topic = ''",
    "DELETE FROM log.events",
    "TRUNCATE log.events",
    "DROP TABLE log.events",
    "ALTER TABLE log.events ADD COLUMN more text",
    "ALTER TABLE log.events DISABLE TRIGGER ALL",
    "ALTER TABLE log.events OWNER TO CURRENT_USER",
    "CREATE TRIGGER more BEFORE UPDATE ON log.events EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE RULE more AS ON INSERT TO log.events DO INSTEAD NOTHING",
    "UPDATE log.identity SET log_id = ''",
    "UPDATE log.identity SET stopped = NULL",
    "DELETE FROM log.former_identities",
    "UPDATE log.schema_revisions SET serves_from = ''",
    "CREATE OR REPLACE FUNCTION log.stop(reason text) RETURNS void LANGUAGE sql AS ''",
    "DROP FUNCTION log.append(uuid[], integer[], text[], bigint[], text[], bytea[])",
    "DROP FUNCTION log.forget_outcomes",
    "INSERT INTO log.outcomes VALUES (gen_random_uuid(), '', '', '', 0, 0, now())",
    "DELETE FROM log.outcomes",
]
HOLDS_UP_OTHERS = [
    "DO $$ BEGIN LOCK TABLE log.append_lock IN ACCESS SHARE MODE; END $$",
    "DO $$ BEGIN LOCK TABLE log.append_lock IN SHARE UPDATE EXCLUSIVE MODE; END $$",
    "DO $$ BEGIN LOCK TABLE log.events IN ROW SHARE MODE; END $$",
    "DO $$ BEGIN LOCK TABLE log.events IN ACCESS EXCLUSIVE MODE; END $$",
    "DO $$ BEGIN LOCK TABLE log.identity IN ROW EXCLUSIVE MODE; END $$",
    "SELECT 1 FROM log.identity FOR SHARE",
    "SELECT 1 FROM log.events FOR KEY SHARE",
    "SELECT pg_advisory_xact_lock(hashtext('fleetlog.append'))",
    "SELECT pg_advisory_lock(5074542366556974951)",  # of migrations
    "SELECT pg_advisory_lock(1, 1), pg_advisory_xact_lock_shared(1, 1), pg_try_advisory_xact_lock(1)",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'fleetlog'",
]
BEYOND_THE_SERVICE = [
    "CREATE TABLE public.mine ()",
    "CREATE TABLE log.mine ()",
    "CREATE TABLE audit.mine ()",
    "CREATE SCHEMA mine",
    "CREATE ROLE mine",
    "CREATE DATABASE mine",
    "CREATE EXTENSION dblink",
    "CREATE TEMPORARY TABLE events ()",
    "SELECT rolpassword FROM pg_authid",
    "SELECT pg_read_file('postgresql.conf')",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SET session_replication_role = replica",
    "SET ROLE fleetlog",
    "UPDATE alembic_version SET version_num = ''",
]
MUST_NOT = {
    "command": [
        "SELECT log.stop('')",
        "SELECT log.forget_outcomes(1)",
        "SELECT pg_try_advisory_lock(1, 1)",
        "SELECT * FROM read.drivers",
        "SELECT * FROM audit.accesses",
        "SET ROLE fleetlog_projector",
        "SET ROLE fleetlog_reader",
    ],
    "projections": [
        APPEND_NOTHING,
        APPEND_AS_BEFORE,
        "INSERT INTO audit.accesses VALUES (9, gen_random_uuid(), now(), '', '', '', '', '{}', '')",
        "DELETE FROM audit.accesses",
        "SELECT audit.record_access(gen_random_uuid(), '', '', '', '', '{}')",
        "UPDATE audit.checkpoints SET note = ''",
        "DELETE FROM audit.checkpoints",
        "TRUNCATE audit.checkpoints",
        "SET ROLE fleetlog_writer",
        "SET ROLE fleetlog_reader",
    ],
    "query": [
        "SELECT * FROM log.events",
        APPEND_NOTHING,
        APPEND_AS_BEFORE,
        "SELECT log.stop('')",
        "SELECT log.forget_outcomes(1)",
        "SELECT pg_try_advisory_lock(1, 1)",
        "DELETE FROM read.drivers",
        "UPDATE read.positions SET position = 0",
        "CREATE TABLE read.mine ()",
        "INSERT INTO audit.accesses VALUES (9, gen_random_uuid(), now(), '', '', '', '', '{}', '')",
        "UPDATE audit.accesses SET actor_sub = ''",
        "DELETE FROM audit.accesses",
        "TRUNCATE audit.accesses",
        "SET ROLE fleetlog_writer",
        "SET ROLE fleetlog_projector",
    ],
}


def test_each_service_has_the_rights_that_are_written_here_and_no_others(module_database: Database) -> None:
    with psycopg.connect(module_database.owner) as connection:
        found: dict[str, dict[str, str]] = {}
        for name, role, rights in connection.execute(MATRIX, [list(SERVICE_GROUPS)]):
            found.setdefault(name, {}).update({role: rights} if rights else {})
    assert found == RIGHTS


@pytest.mark.parametrize("role", SERVICE_GROUPS)
def test_what_a_service_must_not_do_is_refused(module_database: Database, role: str) -> None:
    allowed = []
    with psycopg.connect(getattr(module_database, role), autocommit=True) as connection:
        for statement in [*WRITES_TO_THE_LOG, *HOLDS_UP_OTHERS, *BEYOND_THE_SERVICE, *MUST_NOT[role]]:
            try:
                connection.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                continue
            except psycopg.Error as error:
                allowed.append(f"{statement}: {error}")
            else:
                allowed.append(statement)
    assert allowed == []


def test_what_lies_in_ones_search_path_does_not_come_between_an_append_and_the_log(
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
