"""How applications of the `eventsourcing` library are told of a log."""

from typing import Final

from psycopg.conninfo import conninfo_to_dict

_NAMES: Final = ("dbname", "host", "port", "user", "password")


def environment_of(dsn: str, *, schema: str) -> dict[str, str]:
    """Return the environment in which an application finds a log, and a schema of its own."""
    where = conninfo_to_dict(dsn)
    return {
        "PERSISTENCE_MODULE": "command_api.persistence",
        "POSTGRES_SCHEMA": schema,
        **{f"POSTGRES_{name.upper()}": str(where[name]) for name in _NAMES if name in where},
    }
