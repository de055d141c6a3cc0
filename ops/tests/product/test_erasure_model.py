"""Random orders of registration, restriction and erasure, with a worker that is killed anywhere."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import psycopg
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from projections_testing.erasures import (
    DRIVER,
    PERSON,
    InstanceFolder,
    command_of,
    open_command_handler,
    receipts,
)
from projections_testing.leases import catch_up
from projections_testing.sealed_data import KEY, seal

from command_api.domain.aggregate import Aggregate
from command_api.domain.events import Event, EventMetadata
from ops.base.database.connection import connect
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.states import key_id_of
from ops.base.http.consistency import POSITION_HEADER
from ops.base.permissions import Permission
from ops.base.settings import ServiceSettings
from ops.tamper_evidence.receipts import check_receipt
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.http_servers import serve
from ops.testing.postgres import PostgresServer
from ops.testing.soak import suite_and_soak
from ops.testing.token_issuer import TokenIssuer
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuild import rebuild
from projections.workers.erasure.eraser import Eraser
from projections.workers.erasure.erasures import begin_new, pending
from query_api.app import build_app

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

IDS: Final = ("ONE", "TWO", "THREE")
STEPS: Final = ("decrypted", "destroyed", "rotated", "rewritten", "purged", "acknowledged", "scanned")
BOUNDARIES: Final = [
    *(f"erasing.{step}{end}" for step in STEPS for end in ("", "_recorded")),
    *("erasing.receipt", "erasing.issued"),
    *(f"keys.{where}" for where in ("epoch_written", "epoch_made", "rewrapping", "rewrapped")),
    *("keys.epoch_overwritten", "keys.epoch_destroyed"),
]
DRIVERS: Final = "/api/v1/drivers"
FAILING: Final = (
    "projections.workers.erasure.eraser",
    *(f"ops.base.encryption.{one}" for one in ("stores", "epochs")),
)
"""Modules with failpoints."""
ids = st.sampled_from(IDS)


class Killed(Exception):
    """The worker reached the boundary at which it is killed."""


@dataclass
class Registration:
    """One id from its registration to its erasure."""

    id: str
    mark: str = field(default_factory=lambda: secrets.token_hex(8))
    details: dict[str, Any] = field(default_factory=dict)
    registered: bool = True
    restricted: bool = False
    held: bool = False

    def move(self) -> None:
        """Replace the details by others with this registration's mark."""
        texts = ("name", "city", "address_1", "passport_number", "email_address")
        marked = {name: f"{self.mark}{secrets.token_hex(2)}" for name in texts}
        self.details = {**PERSON, **marked, "email_address": f"{marked['email_address']}@example.com"}


class ErasureMachine(RuleBasedStateMachine):
    """Commands, a worker and a query API on one log, compared with the people who must be visible."""

    postgres: PostgresServer
    issuer: TokenIssuer
    die_at: Callable[[str | None], None]

    def __init__(self) -> None:
        super().__init__()
        self.registrations: dict[str, Registration] = {}
        self.erased: list[Registration] = []
        self.destroyed: set[str] = set()
        self.ending = ExitStack()
        self.instance = InstanceFolder.create(Path(self.ending.enter_context(TemporaryDirectory())))
        self.ending.enter_context(pytest.MonkeyPatch.context()).setenv(
            "FLEETLOG_KEYS", str(self.instance.keys)
        )
        self.database = self.postgres.create_database()
        self.ending.callback(self.postgres.drop_database, self.database)
        self.runner = self.ending.enter_context(asyncio.Runner())
        self.ended, ready = asyncio.Event(), asyncio.Event()
        self.serving = self.runner.get_loop().create_task(self.serve(ready))
        self.runner.run(ready.wait())

    # Commands

    @rule(of=ids)
    def register(self, of: str) -> None:
        life = self.registrations.get(of)
        if life is None or not (life.registered or life.restricted):
            life = self.registrations.setdefault(of, Registration(of))
            life.move()
            life.registered = True
            self.runner.run(self.handler.register(DRIVER, of, life.details, command_of("asha")))

    @rule(of=ids)
    def change(self, of: str) -> None:
        if (life := self.registrations.get(of)) and life.registered and not life.restricted:
            life.move()
            self.runner.run(self.handler.change(DRIVER, of, life.details, command_of("asha")))

    @rule(of=ids)
    def remove(self, of: str) -> None:
        if (life := self.registrations.get(of)) and life.registered and not life.restricted:
            life.registered = False
            self.runner.run(self.handler.remove(DRIVER, of, command_of("asha")))

    @rule(of=ids)
    def restrict(self, of: str) -> None:
        if (life := self.registrations.get(of)) and not life.restricted:
            life.restricted = True
            today = datetime.now(UTC).date()
            self.decide(of, "ingrid", lambda one, metadata: one.restrict("asked", today, metadata))

    @rule(of=ids, until=st.booleans())
    def hold(self, of: str, *, until: bool) -> None:
        if (life := self.registrations.get(of)) and life.restricted:
            life.held = until
            last = datetime.now(UTC).date() + timedelta(days=3) if until else None
            self.decide(of, "ingrid", lambda one, metadata: one.hold(last, metadata))

    @rule(of=ids)
    def lift(self, of: str) -> None:
        if (life := self.registrations.get(of)) and life.restricted:
            life.restricted = life.held = False
            self.decide(of, "ingrid", lambda one, metadata: one.lift(metadata))

    @rule(of=ids)
    def erase(self, of: str) -> None:
        if (life := self.registrations.get(of)) and life.restricted and not life.held:
            self.erased.append(self.registrations.pop(of))
            today = datetime.now(UTC).date()
            self.decide(of, "omar", lambda one, metadata: one.erase(today, metadata))

    @rule(of=ids)
    def restrict_and_erase(self, of: str) -> None:
        self.register(of)
        self.restrict(of)
        self.hold(of, until=False)
        self.erase(of)

    # Workers and keys

    @rule()
    def rotate(self) -> None:
        self.runner.run(KEYS.store.rotate())

    @rule()
    def clear_key_cache(self) -> None:
        KEYS.clear()

    @rule(name=st.sampled_from(["drivers", "revisions"]))
    def rebuild(self, name: str) -> None:
        self.runner.run(rebuild(self.database.projections, PROJECTIONS[name]))

    @rule(boundary=st.sampled_from(BOUNDARIES))
    def work_until_killed(self, boundary: str) -> None:
        self.die_at(boundary)
        with suppress(Killed):
            self.runner.run(self.work())
        self.die_at(None)

    @rule()
    def work_to_the_end(self) -> None:
        self.runner.run(self.work(to_the_end=True))

    # Invariants

    @invariant()
    def erased_people_are_shown_nowhere_and_all_others_are(self) -> None:
        shown = self.runner.run(self.shown())
        for life in self.erased:
            assert life.mark not in "".join(shown.values())
        for life in self.registrations.values():
            assert (life.details["name"] in shown[DRIVERS]) == (life.registered and not life.restricted)
            assert life.mark in shown[f"{DRIVERS}/{life.id}/history?limit=200"]
            assert (life.details["city"] in shown[f"{DRIVERS}/{life.id}"]) == life.registered

    @invariant()
    def destroyed_keys_stay_destroyed_and_other_keys_exist(self) -> None:
        of_registered, of_erased = self.keys()
        assert not of_registered & of_erased
        found = self.runner.run(self.fetched(of_registered | of_erased | self.destroyed))
        lost = {key_id for key_id, exists in found.items() if not exists}
        assert self.destroyed <= lost <= of_erased
        self.destroyed = lost

    def teardown(self) -> None:
        """Check that every erasure is complete and has a receipt."""
        try:
            self.work_to_the_end()
            self.destroyed_keys_stay_destroyed_and_other_keys_exist()
            assert self.destroyed == self.keys()[1]
            events = [check_receipt(one, KEY.verifying_key).event for one in receipts(self.database)]
            assert [one.originator_id for one in events] == [f"driver:{life.id}" for life in self.erased]
        finally:
            self.ended.set()
            self.runner.run(asyncio.wait([self.serving]))
            self.ending.close()

    def decide(self, of: str, who: str, what: Callable[[Aggregate, EventMetadata], Event | None]) -> None:
        self.runner.run(self.handler.decide(DRIVER, of, what, command_of(who)))

    def keys(self) -> tuple[set[str], set[str]]:
        """Return the keys of registered people's events, and the keys of erased people's events."""
        registered: set[str] = set()
        erased: set[str] = set()
        of_stream: dict[str, set[str]] = {}
        for stream, topic, state in self.rows("originator_id, topic, state"):
            of_stream.setdefault(stream, set()).add(key_id_of(bytes(state)) or "")
            if topic.endswith(".erased"):
                erased |= of_stream.pop(stream)
        return registered.union(*of_stream.values()), erased

    def rows(self, columns: str) -> list[Any]:
        with psycopg.connect(self.database.owner) as connection:
            statement = f"SELECT {columns} FROM log.events ORDER BY notification_id"  # noqa: S608
            return connection.execute(statement.encode()).fetchall()

    async def fetched(self, ids: set[str]) -> dict[str, bool]:
        await KEYS.verify()  # as a service does before it uses its store
        return {key_id: key is not None for key_id, key in (await KEYS.store.fetch(ids)).items()}

    async def serve(self, ready: asyncio.Event) -> None:
        usual = {name: getattr(self.issuer, name) for name in ("issuer", "audience", "jwks_url")}
        chosen = ServiceSettings.model_validate({"database": self.database.query, **usual})
        headers = {"Authorization": f"Bearer {self.issuer.token(permissions=sorted(Permission))}"}
        async with (
            serve(build_app(chosen)) as origin,
            httpx.AsyncClient(base_url=origin, headers=headers, timeout=60, trust_env=False) as self.http,
            open_command_handler(self.database) as self.handler,
        ):
            ready.set()
            await self.ended.wait()

    async def work(self, *, to_the_end: bool = False) -> None:
        """Run as a worker that has just started."""
        async with await connect(self.database.projections, autocommit=True) as connection:
            await catch_up(connection)
            await begin_new(connection, after=0)
            if head := len(self.rows("1")):
                await seal(self.database.sealer, self.instance.seals, every=1, up_to=head)
            eraser = Eraser(
                self.database.sealer, SealedLog(self.instance.seals), KEY, folder=self.instance.folder
            )
            await eraser.advance()
            async with asyncio.timeout(PATIENCE_SECONDS):
                while to_the_end and await pending(connection):
                    await asyncio.sleep(0.05)  # services must first report that they hold no key
                    await eraser.advance()

    async def shown(self) -> dict[str, str]:
        """Return the unmasked answers, by address."""
        async with await connect(self.database.projections, autocommit=True) as connection:
            await catch_up(connection)
            ((log_id, head),) = await (
                await connection.execute("SELECT log_id, position FROM log.head")
            ).fetchall()
        addresses = [
            *(DRIVERS, "/api/v1/audit?limit=200", "/api/v1/audit?format=csv&reveal=true"),
            *(f"{DRIVERS}/{one}{which}" for one in IDS for which in ("", "/history?limit=200")),
        ]
        found = {}
        for address in addresses:
            answer = await self.http.get(address, headers={POSITION_HEADER: f"{log_id}:{head}"})
            assert answer.status_code in (200, 404)
            assert "fleetlog-consistency" not in answer.headers
            found[address] = answer.text
        return found


@pytest.mark.parametrize("examples", suite_and_soak(3, 300, hours=4))
def test_privacy_in_any_order_erases_exactly_the_erased_people(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, examples: int
) -> None:
    deadly: list[str] = []

    def failpoint(name: str) -> None:
        if name in deadly:
            raise Killed(name)

    for module in FAILING:
        monkeypatch.setattr(f"{module}.failpoint", failpoint)

    with TokenIssuer() as provider:

        class Machine(ErasureMachine):
            pass

        Machine.postgres, Machine.issuer = postgres, provider
        Machine.die_at = staticmethod(lambda name: deadly.__setitem__(slice(None), [name] if name else []))
        chosen = settings(
            max_examples=examples,
            stateful_step_count=25,
            phases=[Phase.reuse, Phase.generate],  # shrinking takes minutes
            suppress_health_check=list(HealthCheck),
        )
        run_state_machine_as_test(Machine, settings=chosen)
