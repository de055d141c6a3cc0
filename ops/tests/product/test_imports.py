"""Files imported by the frontend's own code: its report is correct, also when processes are killed."""

import json
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from ops.launcher.frontend.build import ensure_installed
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND
from ops.testing.conditions import wait_for
from ops.testing.product.kills import VICTIMS, kill_and_wait
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.soak import soak_count, suite_and_soak
from ops.testing.stack import Stack


def importing(stack: Stack, name: str, **settings: str) -> subprocess.Popen[str]:
    """Start a test of `frontend/src/testing/product`, by file name, which imports files into a product."""
    ensure_installed()
    signed_in = {"FLEETLOG_URL": stack.address, "FLEETLOG_TOKEN": stack.token("staff", lifetime=24 * 3600)}
    return subprocess.Popen(
        npm_command("run", "test:product", "--", name),
        cwd=FRONTEND,
        env=npm_environment({**signed_in, **settings}),
        stdin=subprocess.DEVNULL,
        text=True,
    )


pytestmark = [pytest.mark.integration, pytest.mark.timeout(1200)]

PATIENCE_SECONDS: Final = 600.0
"""Limit of an import's progress: Node must start, and clients back off."""
SOAK_FILES: Final = 400
SUITE_IMPORTS: Final = 3
SOAK_IMPORTS: Final = 200
SOAK_KILLS_OF_EACH: Final = 8
EVENTS: Final = {"new": "registered", "changed": "details_changed"}
RECORDED: Final = """
SELECT type, entity_id, public_event ->> 'batch' FROM read.revisions WHERE position > %s
"""


@pytest.mark.parametrize("files", suite_and_soak(0, SOAK_FILES))
def test_dry_run_import_and_list_agree_on_every_row(stack: Stack, files: int) -> None:
    settings = {"FLEETLOG_FILES": str(files)} if files else {}
    assert importing(stack, "files", **settings).wait() == 0


def import_and_kill(stack: Stack, folder: Path, imports: int, victims: Iterable[str]) -> Counter[str]:
    """Import files of all types concurrently during kills, and check that each row is recorded once.

    Args:
        stack: the product, to which no other client writes.
        folder: an empty folder.
        imports: the least number of imports; they continue until the last kill.
        victims: some of `VICTIMS`.

    Returns:
        Figures for a report.
    """
    began = time.monotonic()
    before = head_of(stack)
    report, enough = folder / "report", folder / "enough"
    settings = {"REPORT": str(report), "ENOUGH": str(enough), "IMPORTS": str(imports)}
    figures: Counter[str] = Counter()
    with importing(stack, "kills", **{f"FLEETLOG_{name}": value for name, value in settings.items()}) as run:
        try:
            for victim in victims:
                wait_for_events(stack, run.poll, random.randint(1, 200))  # so that kills hit at any moment
                kill_and_wait(stack, victim)
                figures[f"{victim} killed"] += 1
        finally:
            enough.touch()
        assert run.wait() == 0
    done = [json.loads(line) for line in report.read_text().splitlines()]
    assert_recorded_once(stack, done, before=before)
    for one in done:
        figures.update({"imports": 1, "rows": len(one["rows"]), "waits": one["waits"], **one["counts"]})
    figures["seconds"] = round(time.monotonic() - began)
    return figures


def wait_for_events(stack: Stack, status: Callable[[], int | None], events: int) -> None:
    """Wait until the log has further events, while `status` returns None, the status of running imports."""
    wanted = None

    def have_arrived() -> bool:
        nonlocal wanted
        assert status() is None, "the imports have ended"
        with suppress(psycopg.OperationalError):  # the database recovers from the last kill
            head = head_of(stack)
            wanted = wanted or head + events
            return head >= wanted
        return False

    wait_for(have_arrived, seconds=PATIENCE_SECONDS)


def assert_recorded_once(stack: Stack, done: Sequence[dict[str, Any]], *, before: int) -> None:
    """Check that log and read tables hold exactly the rows that the imports have reported."""
    assert_read_tables_match_log(stack)
    reported = Counter(
        (f"{one['kind']}.{EVENTS[outcome]}", record, one["batch"])
        for one in done
        for record, outcome in one["rows"]
        if outcome in EVENTS
    )
    with psycopg.connect(stack.owner_dsn) as connection:
        recorded = Counter(connection.execute(RECORDED, [before]).fetchall())
    assert recorded == reported
    assert set(reported.values()) == {1}


@pytest.mark.parametrize("imports", suite_and_soak(SUITE_IMPORTS, SOAK_IMPORTS, hours=3))
def test_kills_during_imports_record_each_row_once(stack: Stack, tmp_path: Path, imports: int) -> None:
    victims = ["command-api before it answers", random.choice([*VICTIMS])]
    if imports != SUITE_IMPORTS:
        victims = [victim for victim in VICTIMS for _ in range(soak_count(SOAK_KILLS_OF_EACH))]
        random.shuffle(victims)
    for name, count in import_and_kill(stack, tmp_path, imports, victims).items():
        print(f"{name:<40} {count:>7}")
