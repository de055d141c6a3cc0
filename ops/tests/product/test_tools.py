"""The tools of auditors and analysts: `./fleetlog audit`, `./fleetlog events`, curl, DuckDB."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import duckdb
import psycopg
import pytest
from psycopg import sql

from ops.launcher.paths import PROJECT, PYTHON
from ops.testing.conditions import PATIENCE_SECONDS, wait_for, wait_until
from ops.testing.processes import in_background
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.writer import Writer
from ops.testing.sealed_logs import last_note
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


def check(proof: str, key: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Check a proof offline: no instance, no database, an empty environment."""
    path = folder / "proof.ndjson"
    path.write_text(proof)
    command = [*PYTHON, "ops.launcher", "audit", "check", str(path), "--key", str(key)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")


async def exported(stack: Stack, stream: str) -> str:
    """Export a history after its sealing."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (done := await asyncio.to_thread(stack.run, "audit", "export", stream)).returncode:
            assert done.stderr.startswith("Not possible: nothing "), done.stderr
    return done.stdout


async def test_exported_history_is_provable_and_tampering_is_found(
    stack: Stack, asha: Actor, tmp_path: Path
) -> None:
    async with Writer(stack, asha, name="sealed") as writer:
        address = await writer.register("horse")
    stream = f"horse:{address.rpartition('/')[2]}"
    shutil.copy(stack.data / "audit" / "public-key", tmp_path)
    public_key = tmp_path / "public-key"
    proof = await exported(stack, stream)

    proven = check(proof, public_key, tmp_path)
    assert (proven.returncode, proven.stderr) == (0, "")
    assert f"Proven: these are all events (1) of {stream} in the log fleetlog/" in proven.stdout
    opened = check(stack.run("audit", "export", "--opened", stream).stdout, public_key, tmp_path).stdout
    lines = proven.stdout.splitlines()
    assert opened.splitlines()[: len(lines)] == lines
    assert "Not proven: the decrypted values" in opened.splitlines()[-1]
    forged = check(proof.replace("horse.registered", "horse.removed"), public_key, tmp_path)
    assert (forged.returncode, forged.stdout) == (1, "")
    assert forged.stderr.startswith("NOT PROVEN: the events up to position ")

    kept = tmp_path / "kept.note"
    kept.write_text(last_note(stack.data / "audit" / "seals"), "utf-8")
    verified = stack.run("audit", "verify", "--checkpoint", str(kept))
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "events match their seals" in verified.stdout
    with tampered(stack, stream) as position:
        output = stack.run("audit", "verify")
        assert output.returncode == 1
        assert f"an event does not match its seal at position {position}" in output.stdout
    assert stack.run("audit", "verify").returncode == 0


async def test_missing_seals_are_reported_until_an_operator_restarts_sealing_on_record(
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
    restarted = stack.run("audit", "restart-sealing", "--reason", "a test took them")
    assert (restarted.returncode, restarted.stderr) == (0, "")
    trace = "Sealing was restarted after position "
    assert trace in restarted.stdout
    verified = stack.run("audit", "verify")
    assert (verified.returncode, trace in verified.stdout) == (0, True), verified.stdout
    proven = check(await exported(stack, stream), stack.data / "audit" / "public-key", tmp_path)
    assert (proven.returncode, f"{trace}" in proven.stdout) == (0, True)
    assert proven.stdout.endswith(": a test took them\n")


@contextmanager
def tampered(stack: Stack, stream: str) -> Iterator[int]:
    """Move a stream's events by a microsecond, and yield the position of the first one."""
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


EXAMPLES = PROJECT / "projections" / "examples" / "http"
COUNTS = """
SELECT count(*), count(DISTINCT position), any_value("to") FILTER (field = 'hired' AND id = 'EXPORT-1')
FROM read_csv(?)
"""
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")


def wait_until_published(client: Client, actor: Actor, subject: str) -> None:
    """Wait until the feed has an event of a subject, for readers that do not wait for a position."""
    address = "/api/v1/events?after=0&limit=500&wait=20"

    def is_published() -> bool:
        nonlocal address
        batch = client.request("GET", address, actor=actor)
        address = batch.links["next"]["url"] if "next" in batch.links else address
        return any(event["subject"] == subject for event in batch.raise_for_status().json())

    wait_for(is_published)


def register(client: Client, actor: Actor, entity_id: str) -> None:
    body = usual_body("horse", hired="Yes").sending(id=entity_id).sent
    assert client.request("POST", PATHS["horse"], actor=actor, json=body).status_code == 201
    wait_until_published(client, actor, entity_id)


@contextmanager
def running(
    command: Sequence[str], *, cwd: Path | None = None, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    process = subprocess.Popen(
        in_background(command),
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def subjects(lines: Iterator[str] | Sequence[str]) -> list[str]:
    return [json.loads(line)["subject"] for line in lines]


def test_tail_follows_over_a_restart_until_it_is_interrupted(
    stack: Stack, client: Client, asha: Actor
) -> None:
    register(client, asha, "TAIL-1")
    words = ["events", "tail", "--data", str(stack.data), "--after", "0", "--type", "horse.registered"]
    with running([*PYTHON, "ops.launcher", *words]) as (process, output):
        while json.loads(output.readline())["subject"] != "TAIL-1":
            pass
        former = stack.kill("query-api")
        stack.wait_until_back("query-api", former)
        register(client, asha, "TAIL-2")
        assert json.loads(output.readline())["subject"] == "TAIL-2"
        process.send_signal(signal.SIGINT)
        rest, complaints = process.communicate(timeout=60)
    assert (process.returncode, rest) == (130, "")
    assert "Traceback" not in complaints


def test_export_writes_complete_files_or_none(
    stack: Stack, client: Client, asha: Actor, tmp_path: Path
) -> None:
    register(client, asha, "EXPORT-1")
    lines, table = tmp_path / "events.ndjson", tmp_path / "events.csv"
    for form, path in (("ndjson", lines), ("csv", table)):
        done = stack.run("events", "export", "--format", form, "-o", str(path), "--entity", "horse")
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "EXPORT-1" in subjects(lines.read_text().splitlines())
    ((rows, events, hired),) = duckdb.connect().execute(COUNTS, [str(table)]).fetchall()
    assert rows > events == len(lines.read_text().splitlines())
    assert hired == '"Yes"'
    assert {path.name for path in tmp_path.iterdir()} == {"events.ndjson", "events.csv"}

    before = lines.read_text()
    refused = stack.run("events", "export", "-o", str(lines), "--entity", "plane")
    assert refused.returncode == 1
    assert "entity: Must be one of assignment, driver" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert lines.read_text() == before


def elsewhere(stack: Stack, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command with an instance's address alone."""
    command = [*PYTHON, "ops.launcher", *words, "--url", stack.address, "--data", "/nowhere"]
    variables = {**os.environ, **environment}
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


def test_remote_instance_is_read_with_a_given_or_obtained_token(
    stack: Stack, client: Client, asha: Actor
) -> None:
    register(client, asha, "ELSEWHERE-1")
    refused = elsewhere(stack, "events", "tail", FLEETLOG_TOKEN="no token")
    assert (refused.returncode, "The access token is not valid." in refused.stderr) == (1, True)
    for given in ("", stack.token("analyst")):
        done = elsewhere(stack, "events", "export", "--type", "registered", FLEETLOG_TOKEN=given)
        assert (done.returncode, done.stdout.count('"specversion"') > 0) == (0, True)


def test_token_is_printed_by_role_and_by_address(stack: Stack, client: Client) -> None:
    for words, role in (([], "staff"), (["--as", "dev|tomas"], "operator")):
        done = elsewhere(stack, "token", *words)
        assert (done.returncode, done.stderr) == (0, "")
        headers = {"Authorization": f"Bearer {done.stdout.strip()}"}
        me = client.http.get(f"{stack.address}/api/v1/me", headers=headers).json()
        assert me["roles"] == [role]
    nobody = elsewhere(stack, "token", "--as", "nobody")
    assert (nobody.returncode, "choose one of: staff, auditor, analyst" in nobody.stderr) == (1, True)
    away = subprocess.run(
        [*PYTHON, "ops.launcher", "token", "--url", "localhost"], capture_output=True, text=True, check=False
    )
    assert (away.returncode, "must begin with http" in away.stderr) == (1, True)


@needs_curl
def test_examples_for_curl(stack: Stack, client: Client, asha: Actor, tmp_path: Path) -> None:
    register(client, asha, "CURL-1")
    environment = {"FLEETLOG_URL": stack.address, "FLEETLOG_TOKEN": stack.token("analyst")}
    events = tmp_path / "events.ndjson"

    def run(*command: str) -> str:
        done = subprocess.run(
            [str(EXAMPLES / command[0]), *command[1:]],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    run("lines.sh")
    assert subjects(events.read_text().splitlines())[-1] == "CURL-1"
    register(client, asha, "CURL-2")
    run("lines.sh")
    expected = [json.loads(line)["id"] for line in events.read_text().splitlines()]
    assert [int(one.partition(":")[2]) for one in expected] == list(range(1, len(expected) + 1))

    batches = [json.loads(line) for line in "".join(run("poll.sh", "1")).split("\n\n") if line.strip()]
    assert [event["id"] for batch in batches for event in batch] == expected[:500]

    seen: list[str] = []
    place = tmp_path / "last-event-id"
    for _ in range(2):  # the second run continues after the first
        with running([str(EXAMPLES / "stream.sh")], cwd=tmp_path, **environment) as (_, output):
            while len(seen) < len(expected):
                seen.append(json.loads(output.readline())["id"])
            wait_for(lambda: place.exists() and place.read_text() == f"{expected[-1]}\n")
        register(client, asha, f"CURL-{len(expected)}")
        expected.append(f"{expected[0].partition(':')[0]}:{len(expected) + 1}")
    assert seen == expected[:-1]
