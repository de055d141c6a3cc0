"""Output and selection of test suites."""

import argparse
import sys
from functools import partial
from pathlib import Path

import pytest

from ops.development import suites
from ops.development.commands import test as test_command
from ops.development.lanes import run_concurrently, run_shown, say
from ops.development.suites import PYTHON_TESTS, SPLIT_TESTS, SUITES
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PROJECT


def _greets(name: str, status: int) -> int:
    say("here it comes")
    program = f"print('I am {name}'); print('{name} says ' + 'x' * 9); raise SystemExit({status})"
    return run_shown([sys.executable, "-c", program])


def test_lines_begin_with_the_name_of_their_lane(capfd: pytest.CaptureFixture[str]) -> None:
    lanes = {"left": lambda: _greets("Asha", 0), "right": lambda: _greets("Rohan", 3)}
    assert run_concurrently(lanes, limit=2) == [0, 3]
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("left")] == [
        "left        | fleetlog: here it comes",
        "left        | I am Asha",
        "left        | Asha says xxxxxxxxx",
    ]
    assert [line.partition("| ")[2] for line in lines if line.startswith("right")] == [
        "fleetlog: here it comes",
        "I am Rohan",
        "Rohan says xxxxxxxxx",
    ]


def test_lanes_run_concurrently(tmp_path: Path) -> None:
    meets = """
import pathlib, sys, time
mine, other = map(pathlib.Path, sys.argv[1:])
mine.touch()
deadline = time.monotonic() + 60
while not other.exists() and time.monotonic() < deadline:
    time.sleep(0.01)
raise SystemExit(not other.exists())
"""
    left, right = str(tmp_path / "left"), str(tmp_path / "right")
    assert run_concurrently(
        {
            "left": lambda: run_shown([sys.executable, "-c", meets, left, right]),
            "right": lambda: run_shown([sys.executable, "-c", meets, right, left]),
        },
        limit=2,
    ) == [0, 0]


def test_sequential_lanes_have_no_names(capfd: pytest.CaptureFixture[str]) -> None:
    work = {"left": lambda: _greets("Asha", 0), "right": lambda: _greets("Rohan", 0)}
    assert run_concurrently(work, limit=1) == [0, 0]
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if "here" not in line] == [
        "I am Asha",
        "Asha says xxxxxxxxx",
        "I am Rohan",
        "Rohan says xxxxxxxxx",
    ]


def test_last_output_of_a_failed_suite_is_repeated(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suites = {"passing": lambda: _greets("Asha", 0) == 0, "failing": lambda: _greets("Rohan", 3) == 0}
    monkeypatch.setattr(test_command, "SUITES", suites)
    monkeypatch.setattr(test_command, "_CONCURRENT_SUITES", 2)

    assert test_command.run(argparse.Namespace(names=[])) == 1

    _, _, summary = capfd.readouterr().out.partition("Last output of failing:\n")
    assert summary.startswith("fleetlog: suite failing\nfleetlog: here it comes\nI am Rohan\n")
    assert "Asha" not in summary
    assert "1 passed, 1 failed" in summary


def test_suites_cover_all_tests() -> None:
    ours = [PROJECT / folder for folder in PYTHON_TESTS]
    run = [str(folder) for suite in SUITES.values() if isinstance(suite, partial) for folder in suite.args]
    taken = [PROJECT / folder for folder in (*run, *SPLIT_TESTS)]
    tests = [file for folder in ours for file in folder.rglob("test_*.py")]
    assert not [file for file in tests if not any(file.is_relative_to(folder) for folder in taken)]


CLOCK = "ops/base/tests/test_clock.py"
USUAL = ["-m", "not soak and not split"]
KEYS = ["run", "test", "--", "src/shared/keys", "-t", "opens it", "--silent"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([CLOCK], ["pytest", CLOCK, *USUAL]),
        ([f"{CLOCK}::test_one", "-x"], [f"{CLOCK}::test_one", *USUAL, "-x"]),
        (["ops/base/tests", "-m", "soak"], ["ops/base/tests", "-m", "soak"]),
        (["frontend/src/shared/keys::opens it", "--silent"], KEYS),
    ],
)
def test_selected_tests_run_with_the_options_of_their_runner(
    monkeypatch: pytest.MonkeyPatch, words: list[str], expected: list[str]
) -> None:
    run: list[str] = []

    def note(command: list[str], **_: object) -> int:
        run.extend(command)
        return 0

    monkeypatch.setattr(suites, "run_shown", note)
    monkeypatch.setattr(suites, "ensure_installed", lambda _: None)
    assert test_command.run(argparse.Namespace(names=words)) == 0
    assert run[-len(expected) :] == expected


def test_unknown_name_is_refused() -> None:
    with pytest.raises(LauncherError, match="no suite or file is named no_such_test"):
        test_command.run(argparse.Namespace(names=["no_such_test.py"]))
