"""A running notifier, its subscriptions, and a receiver of webhooks."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

import psycopg

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from ops.base.encryption.rows import encrypt_texts, row_context
from ops.base.process.tasks import running
from ops.base.records.signed_links import recipient_mark
from ops.testing.postgres import Database
from projections.notify.clock import Clock, system_clock
from projections.notify.webhooks.channel import webhooks
from projections.notify.worker import Notifier
from read_model.tables import READ_TABLES

ADDRESS: Final = "https://fleet.example"
LOOPBACK: Final = (ip_network("127.0.0.0/8"),)
_VERSION: Final = next(table.version for table in READ_TABLES if table.name == "subscriptions")
DETAILS: Final[dict[str, Any]] = {
    "name": "Planning",
    "content": "events",
    "entity_types": [],
    "event_kinds": [],
    "filter": [],
    "channel": "webhook",
    "recipients": [],
    "url": None,
    "schedule": "at_once",
    "hour": 7,
    "time_zone": "UTC",
    "status": "active",
    "secret_generation": 1,
}


class DrivenClock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 4, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Received:
    """A request that has arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        """The message's id."""
        return self.headers["webhook-id"]

    @property
    def event(self) -> dict[str, Any]:
        """The CloudEvent."""
        event: dict[str, Any] = json.loads(self.body)
        return event


@dataclass
class Receiver:
    """An HTTPS server that records requests.

    Attributes:
        answer: returns the status of a request, or its status and headers; None: no answer.
    """

    url: str = ""
    requests: list[Received] = field(default_factory=list)
    answer: Callable[[Received], int | tuple[int, Mapping[str, str]] | None] = lambda _: 204

    @property
    def positions(self) -> list[int]:
        """The positions of the received events, without repeats."""
        return list(dict.fromkeys(int(one.event["sequence"]) for one in self.requests))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                fields = (line.split(": ", 1) for line in lines if line)
                headers = {name.lower(): value for name, value in fields}
                body = await reader.readexactly(int(headers["content-length"]))
                self.requests.append(Received(head.split()[1], headers, body))
                answer = self.answer(self.requests[-1])
                if answer is None:
                    await reader.read()
                    return
                status, more = answer if isinstance(answer, tuple) else (answer, {})
                text = "".join(f"{name}: {value}\r\n" for name, value in more.items())
                writer.write(f"HTTP/1.1 {status} X\r\n{text}content-length: 0\r\n\r\n".encode())
                await writer.drain()
        writer.close()


@asynccontextmanager
async def receiving(certificate: Path) -> AsyncIterator[Receiver]:
    """Run a receiver on a free port of 127.0.0.1."""
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=tls)
    receiver.url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    try:
        yield receiver
    finally:
        server.close()


class Subscriptions:
    """Writes rows of the read table as its projection does, encrypted."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self._known: dict[str, tuple[int, dict[str, Any], Key]] = {}
        connection.execute(
            "INSERT INTO read.positions (projection, position, changed_position, version)"
            " VALUES ('subscriptions', 0, 0, %s) ON CONFLICT DO NOTHING",
            (_VERSION,),
        )

    async def write(self, subscription_id: str, *, is_welcomed: bool = True, **details: Any) -> None:
        """Register or change a subscription.

        Args:
            is_welcomed: whether its addresses have been mailed a link to confirm them.
        """
        first = 0, {**DETAILS, "id": subscription_id}, await KEYS.issue()
        version, former, key = self._known.get(subscription_id, first)
        record = {**former, **details}
        self._known[subscription_id] = version + 1, record, key
        stream = f"subscription:{subscription_id}"
        texts = [json.dumps(record, separators=(",", ":")), ""]
        ciphertext = encrypt_texts(key, row_context("subscriptions", stream, version + 1), texts)
        public = json.dumps({**record, "url": None, "recipients": None, "name": None})
        self._connection.execute(
            "INSERT INTO read.subscriptions (id, version, position, record, list_item, key_id, ciphertext)"
            " VALUES (%(id)s, %(version)s, 0, %(record)s, %(record)s, %(key)s, %(ciphertext)s)"
            " ON CONFLICT (id) DO UPDATE SET version = excluded.version, record = excluded.record,"
            " key_id = excluded.key_id, ciphertext = excluded.ciphertext",
            {
                "id": subscription_id,
                "version": version + 1,
                "record": public,
                "key": key.id,
                "ciphertext": ciphertext,
            },
        )
        if record["content"] == "due_dates" and is_welcomed:
            self._connection.execute(
                "INSERT INTO notify.cursors (subscription_id, position, welcomed) VALUES (%s, 0, %s)"
                " ON CONFLICT (subscription_id) DO UPDATE SET welcomed = excluded.welcomed",
                (subscription_id, [recipient_mark(key, one) for one in record["recipients"]]),
            )
        self._notify()

    def remove(self, subscription_id: str) -> None:
        """Remove a subscription."""
        self._connection.execute("DELETE FROM read.subscriptions WHERE id = %s", (subscription_id,))
        self._notify()

    def request(self, subscription_id: str, kind: str, **values: int) -> None:
        """Add a request, as the command API does."""
        columns, marks = "".join(f", {name}" for name in values), ", %s" * len(values)
        self._connection.execute(
            f"INSERT INTO notify.requests (id, actor, subscription_id, kind{columns})"  # noqa: S608 - constants
            f""" VALUES (gen_random_uuid(), '{{"sub": "dev|asha"}}', %s, %s{marks})""",
            (subscription_id, kind, *values.values()),
        )
        self._connection.execute("NOTIFY fleetlog_notify")

    def cursor(self, subscription_id: str) -> dict[str, Any]:
        """Return a subscription's progress; empty if it has none."""
        found: dict[str, Any] = self._row(
            "SELECT to_jsonb(cursors) FROM notify.cursors WHERE subscription_id = %s", subscription_id
        )
        return found

    def deliveries(self, subscription_id: str) -> list[dict[str, Any]]:
        """Return the log of a subscription's deliveries, oldest first."""
        found: list[dict[str, Any]] = self._row(
            "SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY number), '[]') FROM notify.deliveries AS one"
            " WHERE subscription_id = %s",
            subscription_id,
        )
        return found

    def _row(self, statement: str, subscription_id: str) -> Any:
        row = self._connection.execute(statement.encode(), (subscription_id,)).fetchone()
        return row[0] if row else {}

    def _notify(self) -> None:
        self._connection.execute(
            "UPDATE read.positions SET changed_position = changed_position + 1"
            " WHERE projection = 'subscriptions'"
        )
        self._connection.execute("SELECT pg_notify('fleetlog_projected', 'subscriptions:0-0')")


@asynccontextmanager
async def run_notifier(database: Database, clock: Clock = system_clock) -> AsyncIterator[Notifier]:
    """Run a notifier in this process, which may reach receivers on this machine."""
    channels = {"webhook": webhooks(LOOPBACK)}
    notifier = Notifier(database.notify, ADDRESS, channels, clock)
    async with running(notifier.run):
        yield notifier


def advance(notifier: Notifier, clock: DrivenClock, by: timedelta) -> None:
    """Move the clock, and let the notifier notice."""
    clock.now += by
    if notifier.context is not None:
        notifier.context.wake()
