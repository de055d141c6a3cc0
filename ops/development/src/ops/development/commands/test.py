"""`./fleetlog test [NAME…]` runs test suites; `./fleetlog test PATH[::TEST] [-- OPTION…]` runs some tests."""

import argparse
import os
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from typing import Final, NamedTuple

from ops.development.suites import SUITES, run_selected
from ops.launcher.errors import LauncherError
from ops.launcher.messages import notify
from ops.launcher.paths import PROJECT, PYTHON

_CONCURRENT_SUITES: Final = (os.cpu_count() or 1) + 1
"""A suite spends a third of its time waiting for processes, locks and time limits."""
_LAST_LINES: Final = 120


class _SuiteResult(NamedTuple):
    suite: str
    passed: bool
    seconds: float
    last_lines: Sequence[str] = ()
    """Last output of a failed suite, repeated because output of other suites follows it."""

    def __str__(self) -> str:
        return f"{self.suite:<12} {'passed' if self.passed else 'FAILED':<8} {self.seconds:6.1f} s"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"suites to run: {', '.join(SUITES)} (default: all); or the path of a test file, with"
        " ::NAME of one test, and after -- options of pytest, Vitest or Playwright",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the suites concurrently, even if one fails, and print a summary."""
    names = list(takewhile(lambda word: not word.startswith("-"), arguments.names))
    paths = [name for name in names if name not in SUITES and (PROJECT / name.partition("::")[0]).exists()]
    unknown = [name for name in names if name not in {*SUITES, *paths}]
    if unknown:
        raise LauncherError(f"no suite or file is named {unknown[0]}; suites are {', '.join(SUITES)}")
    if paths:
        done = [run_selected(path, arguments.names[len(names) :]) for path in paths]
        return 0 if all(done) else 1
    began = time.monotonic()
    wanted = arguments.names or list(SUITES)
    if len(wanted) == 1:
        results = [_run_here(wanted[0])]
    else:
        with ThreadPoolExecutor(_CONCURRENT_SUITES) as threads:
            results = list(threads.map(_run_apart, wanted))
    for one in results:
        if one.last_lines:
            print("\n".join(["", f"Last output of {one.suite}:", *one.last_lines]))
    print("\n".join(["", *map(str, results)]))
    passed = sum(one.passed for one in results)
    seconds = time.monotonic() - began
    print(f"{passed} passed, {len(results) - passed} failed, {seconds:.0f} s", flush=True)
    return 0 if passed == len(results) else 1


def _run_here(name: str) -> _SuiteResult:
    notify(f"suite {name}")
    began = time.monotonic()
    try:
        passed = SUITES[name]()
    except LauncherError as error:
        notify(str(error))
        passed = False
    return _SuiteResult(name, passed, time.monotonic() - began)


def _run_apart(name: str) -> _SuiteResult:
    """Run a suite in a process of its own, and show its output after its name."""
    began = time.monotonic()
    last_lines = deque[str](maxlen=_LAST_LINES)
    with subprocess.Popen(
        [*PYTHON, "ops.launcher", "test", name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as program:
        for line in program.stdout or ():
            last_lines.append(line.rstrip("\n"))
            print(f"{name:<11} | {line}", end="", flush=True)
    passed = program.returncode == 0
    return _SuiteResult(name, passed, time.monotonic() - began, () if passed else last_lines)
