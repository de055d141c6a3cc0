"""The log's seals on the running product: what an auditor does, and what tampering does to it."""

import asyncio
import re
import shutil
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
from ops.testing.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.integration


def check(bundle: str, key: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Check a bundle as an outsider: no instance, no database, nothing in the environment."""
    path = folder / "bundle.json"
    path.write_text(bundle)
    command = [*PYTHON, "ops.launcher", "audit", "check", str(path), "--key", str(key)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")


async def exported(stack: Stack, stream: str) -> str:
    """Export a history, as soon as it is sealed."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (done := await asyncio.to_thread(stack.run, "audit", "export", stream)).returncode:
            assert done.stderr.startswith("Not possible: nothing "), done.stderr
    return done.stdout


async def test_an_outsider_can_check_a_history_and_tampering_is_found(
    stack: Stack, asha: Actor, tmp_path: Path
) -> None:
    async with Writer(stack, asha, name="sealed") as writer:
        address = await writer.register("horse")
    stream = f"horse:{address.rpartition('/')[2]}"
    shutil.copy(stack.data / "audit" / "public-key", tmp_path)
    public_key = tmp_path / "public-key"
    bundle = await exported(stack, stream)

    proven = check(bundle, public_key, tmp_path)
    assert (proven.returncode, proven.stderr) == (0, "")
    assert f"Proven: these are the first 1 events of {stream} in the log fleetlog/" in proven.stdout
    forged = check(bundle.replace("horse.registered", "horse.removed"), public_key, tmp_path)
    assert (forged.returncode, forged.stdout) == (1, "")
    assert forged.stderr.startswith("NOT PROVEN: the event at position ")

    kept = shutil.copy(max((stack.data / "audit" / "seals" / "checkpoints").glob("*.note")), tmp_path)
    verified = stack.run("audit", "verify", "--checkpoint", str(kept))
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "events are what was sealed" in verified.stdout
    with tampered(stack, stream) as position:
        output = stack.run("audit", "verify")
        assert output.returncode == 1
        assert f"an event is not what was sealed at position {position}" in output.stdout
    assert stack.run("audit", "verify").returncode == 0


async def test_seals_that_are_gone_are_told_until_an_operator_begins_anew_which_is_told_for_ever(
    stack: Stack, asha: Actor, tmp_path: Path
) -> None:
    async with Writer(stack, asha, name="forged") as writer:
        address = await writer.register("horse")
    stream = f"horse:{address.rpartition('/')[2]}"
    await exported(stack, stream)
    seals = stack.data / "audit" / "seals"
    seals.rename(tmp_path / "taken")
    await wait_until(
        lambda: re.search("projections +not ready.*gone|taken away", stack.run("status").stdout) is not None
    )
    assert stack.run("audit", "verify", "--log-only").returncode == 1
    begun = stack.run("audit", "begin-anew", "--reason", "a test took them")
    assert (begun.returncode, begun.stderr) == (0, "")
    trace = "Sealing was begun anew after position "
    assert trace in begun.stdout
    verified = stack.run("audit", "verify")
    assert (verified.returncode, trace in verified.stdout) == (0, True), verified.stdout
    proven = check(await exported(stack, stream), stack.data / "audit" / "public-key", tmp_path)
    assert (proven.returncode, f"{trace}" in proven.stdout) == (0, True)
    assert proven.stdout.endswith(": a test took them\n")


def test_an_unknown_id_is_told_of(stack: Stack) -> None:
    done = stack.run("audit", "export", "--", "-no-such-id")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("Not possible: nothing ")


def test_the_key_is_private_and_its_public_half_is_not_lost(stack: Stack) -> None:
    audit = stack.data / "audit"
    assert (audit / "sealing-key.pem").stat().st_mode & 0o777 == 0o600
    assert (audit / "public-key").read_text().startswith("fleetlog+")


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
