"""Processes that say how they are, without being there."""

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

from projections.leases.locks import NAMESPACE, SEAL_KEY, lead_key
from projections.tables import READ_TABLES


class Processes:
    """Say that they are there, by the database's owner."""

    def __init__(self, connection: psycopg.Connection) -> None:
        """Describe them.

        Args:
            connection: in autocommit mode.
        """
        self.connection = connection

    def report(
        self,
        name: str,
        checks: Mapping[str, Any] | None = None,
        *,
        instance: str | None = None,
        health: str = "ready",
        silent: int = -3600,
        **state: Any,
    ) -> None:
        """Let a process say how it is.

        Args:
            name: of its service.
            checks: as `/readyz` has them.
            instance: what it is called; by default its service with a number.
            health: what it says.
            silent: for how many seconds it has said nothing; by default it is heard of for an hour.
            state: what it tells besides.
        """
        instance = instance or f"{name}-1"
        told = json.dumps({"checks": checks or {}, **state})
        self.connection.execute(
            "SELECT operations.report(%s, %s, %s, '0.1.0', now(), %s, NULL, %s)",
            (uuid.uuid4(), instance, name, health, told),
        )
        self.connection.execute(
            "UPDATE operations.services SET seen_at = now() - make_interval(secs => %s) WHERE instance = %s",
            (silent, instance),
        )

    def worker(self, *, role: str = "leading", sealing: Any = None, **more: Any) -> None:
        """Let a worker say that it leads all projections, or stands by, and how it seals."""
        detail = {"role": role, "error": None, "head": 0, "lag_seconds": 0.0}
        checks = {table.name: {"ok": True, "detail": detail} for table in READ_TABLES}
        seals = {"role": role, "error": None, "position": 3, "sealed_at": 1_764_000_000.0, **(sealing or {})}
        checks["sealing"] = {"ok": seals["error"] is None, "detail": seals}
        self.report("projections", checks, **more)

    def relay(self, *, error: str | None = None, role: str = "leading", **more: Any) -> None:
        """Let a relay say how far it is."""
        detail = {"role": role, "error": error, "position": 2, "head": 5, "lag_events": 3, "lag_seconds": 0.5}
        self.report("relay", {"relay": {"ok": True, "detail": detail}}, **more)

    def clear(self) -> None:
        """Let nothing have been said, asked for or set aside, and the log be new and empty."""
        self.connection.execute(
            "TRUNCATE operations.services, operations.samples, operations.sizes, operations.actions,"
            " operations.verifications, operations.backups, read.quarantined_streams, read.positions,"
            " log.events"
        )
        self.connection.execute("UPDATE log.identity SET stopped = NULL")
        self.connection.execute("UPDATE log.schema_revisions SET applied = now()")

    def all_is_well(self) -> None:
        """Let each service say so; their locks are held by `leading`."""
        self.report("command-api", {"clock": {"ok": True, "detail": None}})
        self.report("query-api")
        self.worker()


@contextmanager
def leading(dsn: str) -> Iterator[psycopg.Connection]:
    """Hold the locks of who leads all projections and seals."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for key in (SEAL_KEY, *map(lead_key, READ_TABLES)):
            connection.execute("SELECT pg_try_advisory_lock(%s, %s)", (NAMESPACE, key))
        yield connection
