"""`python -P -m ops.testing.corruption DATA STREAM [--mend]`: make an event unreadable, for browser tests.

The last event of a record of a running instance gets a type that no release knows; `--mend` reverts that.
"""

import argparse
from pathlib import Path

import psycopg

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import read_record
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import superuser_dsn

_RENAME = """
UPDATE log.events SET topic = CASE WHEN %(mend)s THEN replace(topic, '_newer', '') ELSE topic || '_newer' END
WHERE originator_id = %(stream)s
  AND originator_version = (SELECT max(originator_version) FROM log.events WHERE originator_id = %(stream)s)
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("stream")
    parser.add_argument("--mend", action="store_true")
    arguments = parser.parse_args()
    folder = DataFolder(arguments.data)
    record = read_record(folder)
    if record is None:
        raise SystemExit("no instance runs on this folder")
    dsn = superuser_dsn(record.processes["postgres"].port, load_or_make(folder).superuser, DATABASE)
    with psycopg.connect(dsn) as connection:
        connection.execute(_RENAME, {"stream": arguments.stream, "mend": arguments.mend})


if __name__ == "__main__":
    main()
