"""Environment of applications of the `eventsourcing` library."""

from typing import Final

from psycopg.conninfo import conninfo_to_dict

_NAMES: Final = ("dbname", "host", "port", "user", "password")


def environment_of(dsn: str, *, schema: str) -> dict[str, str]:
    """Return the variables that name a log and the application's own schema."""
    where = conninfo_to_dict(dsn)
    return {
        "PERSISTENCE_MODULE": "command_api.persistence",
        "POSTGRES_SCHEMA": schema,
        **{f"POSTGRES_{name.upper()}": str(where[name]) for name in _NAMES if name in where},
    }
