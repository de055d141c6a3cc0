"""Files imported by the frontend's own code: what it says is what comes of them, whatever is killed."""

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
from ops.testing.product.kills import VICTIMS, kill_and_wait
from ops.testing.product.whole import assert_whole, head_of
from ops.testing.soak import soak_count
from ops.testing.stack import Stack
from ops.testing.waiting import wait_for


def importing(stack: Stack, name: str, **settings: str) -> subprocess.Popen[str]:
    """Begin one of the tests of `frontend/src/testing/product`, which imports files into a running product.

    Args:
        stack: the product.
        name: the file's, without its ending.
        settings: further variables of the test's environment.
    """
    ensure_installed(print)
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
"""Until so much more is imported: Node must start, and whoever waits for an answer waits ever longer."""
SOAK_FILES: Final = 400
SOAK_IMPORTS: Final = 200
SOAK_KILLS_OF_EACH: Final = 8
EVENTS: Final = {"new": "registered", "changed": "details_changed"}
RECORDED: Final = """
SELECT type, entity_id, public_event ->> 'batch' FROM read.revisions WHERE position > %s
"""


def test_dry_run_run_and_list_agree_on_every_row_of_every_file(stack: Stack) -> None:
    assert importing(stack, "files").wait() == 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_dry_run_run_and_list_agree_on_every_row_of_many_imports(stack: Stack) -> None:
    assert importing(stack, "files", FLEETLOG_FILES=str(soak_count(SOAK_FILES))).wait() == 0


def import_and_kill(stack: Stack, folder: Path, imports: int, victims: Iterable[str]) -> Counter[str]:
    """Import files of all kinds at once, and kill one after the other meanwhile: all is recorded once.

    Args:
        stack: the product, which nobody else writes to.
        folder: an empty one.
        imports: how many there are at least; they go on until all are killed.
        victims: some of `VICTIMS`.

    Returns:
        How many there were of what.
    """
    began = time.monotonic()
    before = head_of(stack)
    report, enough = folder / "report", folder / "enough"
    settings = {"REPORT": str(report), "ENOUGH": str(enough), "IMPORTS": str(imports)}
    figures: Counter[str] = Counter()
    with importing(stack, "kills", **{f"FLEETLOG_{name}": value for name, value in settings.items()}) as run:
        try:
            for victim in victims:
                wait_for_events(stack, run.poll, random.randint(1, 200))  # so that it hits at any moment
                kill_and_wait(stack, victim)
                figures[f"{victim} killed"] += 1
        finally:
            enough.touch()
        assert run.wait() == 0
    done = [json.loads(line) for line in report.read_text().splitlines()]
    assert_recorded_once(stack, done, before=before)
    for one in done:
        figures.update({"imports": 1, "rows": len(one["told"]), "waits": one["waits"], **one["counts"]})
    figures["seconds"] = round(time.monotonic() - began)
    return figures


def wait_for_events(stack: Stack, status: Callable[[], int | None], events: int) -> None:
    """Wait until so many more are in the log.

    Args:
        stack: the product.
        status: with which the imports have ended; None: they go on.
        events: how many.
    """
    wanted = None

    def are_there() -> bool:
        nonlocal wanted
        assert status() is None, "the imports have ended"
        with suppress(psycopg.OperationalError):  # it comes back from the last kill
            head = head_of(stack)
            wanted = wanted or head + events
            return head >= wanted
        return False

    wait_for(are_there, seconds=PATIENCE_SECONDS)


def assert_recorded_once(stack: Stack, done: Sequence[dict[str, Any]], *, before: int) -> None:
    """Check that exactly what imports have told of is in the log, and in the read tables."""
    assert_whole(stack)
    told = Counter(
        (f"{one['kind']}.{EVENTS[outcome]}", record, one["batch"])
        for one in done
        for record, outcome in one["told"]
        if outcome in EVENTS
    )
    with psycopg.connect(stack.owner_dsn) as connection:
        recorded = Counter(connection.execute(RECORDED, [before]).fetchall())
    assert recorded == told
    assert set(told.values()) == {1}


def test_whatever_is_killed_meanwhile_each_row_is_recorded_once(stack: Stack, tmp_path: Path) -> None:
    victims = ["command-api before it answers", random.choice([*VICTIMS])]
    print(dict(import_and_kill(stack, tmp_path, 3, victims)))


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
def test_in_many_imports_whatever_is_killed_meanwhile_each_row_is_recorded_once(
    stack: Stack, tmp_path: Path
) -> None:
    victims = [victim for victim in VICTIMS for _ in range(soak_count(SOAK_KILLS_OF_EACH))]
    random.shuffle(victims)
    for name, count in import_and_kill(stack, tmp_path, soak_count(SOAK_IMPORTS), victims).items():
        print(f"{name:<40} {count:>7}")
