-- Who looked at what is otherwise masked. Rows are added and never changed: nobody has the right.

CREATE SCHEMA audit;
CREATE TABLE audit.accesses (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  access_id uuid NOT NULL UNIQUE,
  moment timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor_sub text NOT NULL,
  actor_name text NOT NULL,
  request_id text NOT NULL,
  action text NOT NULL,
  details json NOT NULL
);
GRANT USAGE ON SCHEMA audit TO fleetlog_reader;
GRANT SELECT, INSERT ON audit.accesses TO fleetlog_reader;
