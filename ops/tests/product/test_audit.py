"""The log's seals on the running product: what an auditor does, and what tampering does to it."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from ops.launcher.paths import PYTHON
from ops.testing.product.exchanges import Actor
from ops.testing.product.writer import Writer
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


def check(bundle: str, key: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Check a bundle as an outsider: no instance, no database."""
    path = folder / "bundle.json"
    path.write_text(bundle)
    command = [*PYTHON, "ops.launcher", "audit", "check", str(path), "--key", str(key)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


async def test_an_outsider_can_check_a_history_and_tampering_is_found(
    stack: Stack, asha: Actor, tmp_path: Path
) -> None:
    async with Writer(stack, asha, name="sealed") as writer:
        address = await writer.register("horse")
        await writer.see_a_write(address)
    entity_id = address.rpartition("/")[2]
    public_key = stack.data / "audit" / "public-key"
    async with asyncio.timeout(60):
        while (exported := await asyncio.to_thread(stack.run, "audit", "export", entity_id)).returncode:  # noqa: ASYNC110
            await asyncio.sleep(0.5)  # it is sealed after a second
    assert stack.run("audit", "verify").returncode == 0
    proven = check(exported.stdout, public_key, tmp_path)
    assert (proven.returncode, f"events of horse:{entity_id}" in proven.stdout) == (0, True)
    forged = check(exported.stdout.replace("horse.registered", "horse.removed"), public_key, tmp_path)
    assert (forged.returncode, "NOT PROVEN" in forged.stderr) == (1, True)
    with tampered(stack, f"horse:{entity_id}") as position:
        told = stack.run("audit", "verify")
        assert told.returncode == 1
        assert f"an event is not what was sealed at position {position}" in told.stdout
    assert stack.run("audit", "verify").returncode == 0


@contextmanager
def tampered(stack: Stack, stream: str) -> Iterator[int]:
    """Let a stream's events be a microsecond later than they were; gives the position of the first one."""
    move = "UPDATE log.events SET moment = moment {} interval '1 us' WHERE originator_id = %s"
    with psycopg.connect(stack.owner_dsn, autocommit=True) as owner:
        rows = owner.execute(
            "SELECT min(notification_id) FROM log.events WHERE originator_id = %s", (stream,)
        )
        owner.execute(sql.SQL(move).format(sql.SQL("+")), (stream,))
        try:
            yield next(rows)[0]
        finally:
            owner.execute(sql.SQL(move).format(sql.SQL("-")), (stream,))
