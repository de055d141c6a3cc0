"""Selection of test suites."""

import argparse
from functools import partial

import pytest

from ops.development.commands import test as test_command
from ops.development.suites import PYTHON_TESTS, SPLIT_TESTS, SUITES
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PROJECT


def test_suites_cover_all_tests() -> None:
    ours = [PROJECT / folder for folder in PYTHON_TESTS]
    run = [str(folder) for suite in SUITES.values() if isinstance(suite, partial) for folder in suite.args]
    taken = [PROJECT / folder for folder in (*run, *SPLIT_TESTS)]
    tests = [file for folder in ours for file in folder.rglob("test_*.py")]
    assert not [file for file in tests if not any(file.is_relative_to(folder) for folder in taken)]


def test_failed_suite_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(test_command, "SUITES", {"failing": lambda: False})
    assert test_command.run(argparse.Namespace(names=["failing"])) == 1
    assert "0 passed, 1 failed" in capsys.readouterr().out
    with pytest.raises(LauncherError, match="no suite or file is named no_such_test"):
        test_command.run(argparse.Namespace(names=["no_such_test.py"]))
