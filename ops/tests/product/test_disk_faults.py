"""A disk that fills up and is freed under load: the product refuses commands, and recovers by itself."""

import asyncio
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg
import pytest

from ops.testing.conditions import wait_for, wait_until
from ops.testing.folders import open_folder
from ops.testing.product.client import sign_in
from ops.testing.product.exchanges import Actor
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.load import load_on
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of, wait_until_caught_up
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack

_BLOCKS: Final = (1 << 20, 1 << 12, 1)
"""Sizes of the writes that fill the disk, from large to small for speed."""


class SmallDisk:
    """A mounted file system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Use up all free bytes."""
        descriptor = os.open(self._filler, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            for size in _BLOCKS:
                with suppress(OSError):
                    while True:
                        os.write(descriptor, bytes(size))
        finally:
            os.close(descriptor)

    def free(self) -> None:
        """Free the bytes that `fill` has used."""
        self._filler.unlink()


@contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[SmallDisk]:
    """Mount a file system in memory until the context's end; skip the test where that is not permitted."""
    options = f"size={megabytes}m,mode=711"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "fleetlog-test", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


pytestmark = pytest.mark.integration

WRITERS = 6
DISK_MEGABYTES = 300
"""Several times the size of an empty instance."""
HANG_SECONDS = 40.0
"""Limit of every answer, including 503."""
WRITES_SECONDS = 10.0
CAUGHT_UP_SECONDS = 30.0
SERVICES = ("command-api", "query-api", "projections")
EXPECTED_ANSWERS = {"200", "201", "204", "404", "412", "503"}


@dataclass(frozen=True)
class SmallStack:
    """The product with database, keys, seals, logs and state on one small disk."""

    stack: Stack
    disk: SmallDisk
    staff: Actor
    operator: Actor
    shown: list[tuple[str, str, str | None]] = field(default_factory=list)
    """Name, health and reason of each service, as the System screen showed them last."""

    def ready_services(self) -> set[str]:
        """Return the services whose `/readyz` answers 200."""
        return {
            name for name in SERVICES if self._status(f"{self.stack.service_address(name)}/readyz") == 200
        }

    def system(self) -> dict[str, Any] | None:
        """Return the content of the System screen; None: unavailable."""
        headers = {"Authorization": f"Bearer {self.operator.token}"}
        with httpx.Client(timeout=60, trust_env=False) as client:
            answer = client.get(f"{self.stack.address}/api/v1/system", headers=headers)
        assert answer.status_code in (200, 503), answer.text
        system: dict[str, Any] | None = answer.json() if answer.status_code == 200 else None
        return system

    def shows_ready_services(self) -> bool:
        """Return whether the System screen shows all services as ready, without a reason."""
        system = self.system()
        if system is None:
            return False
        self.shown[:] = [(one["name"], one["health"], one["reason"]) for one in system["services"]]
        ready = {name for name, health, reason in self.shown if health == "ready" and not reason}
        return ready == {*SERVICES, "notify"}

    @staticmethod
    def _status(address: str) -> int:
        return httpx.get(address, timeout=60, trust_env=False).status_code


@pytest.fixture(scope="module")
def small() -> Iterator[SmallStack]:
    with (
        open_folder() as folder,
        small_disk(folder, megabytes=DISK_MEGABYTES) as disk,
        Stack(folder) as stack,
    ):
        yield SmallStack(stack, disk, sign_in(stack, "staff"), sign_in(stack, "operator"))


def exhaust_write_ahead_log(small: SmallStack) -> None:
    """Make the database allocate a segment of its write-ahead log on the full disk, which stops it."""
    with pytest.raises(psycopg.OperationalError):  # noqa: PT012 - any of the statements
        while True:
            with psycopg.connect(small.stack.owner_dsn, autocommit=True) as connection:
                connection.execute("SELECT pg_logical_emit_message(true, 'fleetlog-test', ' ')")
                connection.execute("SELECT pg_switch_wal()")
            small.disk.fill()


async def fill_and_free(small: SmallStack) -> None:
    """Fill the disk under load, first for tables and then for the write-ahead log, and free it."""
    stack, disk = small.stack, small.disk
    before = head_of(stack)
    async with load_on(stack, small.staff, writers=WRITERS, attempt_seconds=2 * HANG_SECONDS) as load:
        answers = load.history.answers

        def refuses_all() -> bool:
            disk.fill()  # also what other files have freed
            return answers["503"] >= WRITERS

        await load.wait_for(commands=20)
        await wait_until(refuses_all)
        # Projections may be ready if they have stored all acknowledged events.
        assert "command-api" not in await asyncio.to_thread(small.ready_services)
        await asyncio.to_thread(wait_for, lambda: not small.shows_ready_services())
        assert (await asyncio.to_thread(stack.run, "status")).returncode == 1

        await asyncio.to_thread(exhaust_write_ahead_log, small)
        await wait_until(lambda: answers["503"] >= 3 * WRITERS)
        assert not await asyncio.to_thread(small.ready_services)

        disk.free()
        freed = time.monotonic()
        await load.see_a_write()
        writes_after = time.monotonic() - freed
        await asyncio.to_thread(wait_until_caught_up, stack)
        caught_up_after = time.monotonic() - freed
        await asyncio.to_thread(wait_for, lambda: small.ready_services() == set(SERVICES))
        await asyncio.to_thread(wait_for, small.shows_ready_services, failure=lambda: small.shown)
        await asyncio.to_thread(wait_for, lambda: stack.run("status").returncode == 0)
        await load.wait_for(commands=20)
    history = load.history
    assert_consistent(history, await asyncio.to_thread(assert_read_tables_match_log, stack), before=before)
    assert answers.keys() <= EXPECTED_ANSWERS, answers
    assert history.slowest_seconds < HANG_SECONDS
    print(f"writes after {writes_after:.1f} s, caught up after {caught_up_after:.1f} s; {answers}")
    assert writes_after < WRITES_SECONDS
    assert caught_up_after < CAUGHT_UP_SECONDS


@pytest.mark.parametrize("rounds", suite_and_soak(1, 3))
async def test_full_disk_loses_no_event_and_product_recovers(small: SmallStack, rounds: int) -> None:
    for _ in range(rounds):
        await fill_and_free(small)
