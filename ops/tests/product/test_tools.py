"""The tools of auditors and analysts: `./fleetlog audit`, `./fleetlog events`, curl, DuckDB."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import duckdb
import pytest

from ops.launcher.paths import PROJECT, PYTHON
from ops.testing.conditions import wait_for
from ops.testing.processes import in_background
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


def check(proof: str, key: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Check a proof offline: no instance, no database, an empty environment."""
    path = folder / "proof.ndjson"
    path.write_text(proof)
    command = [*PYTHON, "ops.launcher", "audit", "check", str(path), "--key", str(key)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")


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
