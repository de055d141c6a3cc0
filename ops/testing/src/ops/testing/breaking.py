"""Spoils the last event of a record of a running instance, and mends it: for tests in a browser.

`python -P -m ops.testing.breaking DATA STREAM [--mend]`: of a kind that no release knows, until it is mended.
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
    """Do as the arguments say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("stream")
    parser.add_argument("--mend", action="store_true")
    wanted = parser.parse_args()
    folder = DataFolder(wanted.data)
    record = read_record(folder)
    if record is None:
        raise SystemExit("nothing runs there")
    dsn = superuser_dsn(record.parts["postgres"].port, load_or_make(folder).superuser, DATABASE)
    with psycopg.connect(dsn) as connection:
        connection.execute(_RENAME, {"stream": wanted.stream, "mend": wanted.mend})


if __name__ == "__main__":
    main()
