"""The migration scripts, and whether a database has seen them all."""

from importlib.resources import files
from pathlib import Path

import psycopg

VERSIONS = Path(str(files(__package__))) / "versions"


def scripts(versions: Path = VERSIONS) -> list[tuple[str, Path]]:
    """Revision and file of each script, oldest first."""
    return [(path.name.split("_", 1)[0], path) for path in sorted(versions.glob("*.sql"))]


def is_current(owner_dsn: str) -> bool:
    """Whether the database is at the newest revision; False also where that cannot be determined."""
    newest = scripts()[-1][0]
    try:
        with psycopg.connect(owner_dsn) as connection:
            return connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(newest,)]
    except psycopg.Error:
        return False
