"""`./fleetlog test [NAME…]` runs test suites; `./fleetlog test PATH[::TEST] [-- OPTION…]` runs some tests."""

import argparse
import os
import time
from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import Final, NamedTuple

from ops.development.lanes import last_lines, run_concurrently, say
from ops.development.suites import SUITES, run_selected
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PROJECT

_CONCURRENT_SUITES: Final = (os.cpu_count() or 1) + 1
"""A suite spends a third of its time waiting for processes, locks and time limits."""


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
        options = arguments.names[len(names) :]
        done = [run_selected(_relative(path), options) for path in paths]
        return 0 if all(done) else 1
    began = time.monotonic()
    wanted = arguments.names or list(SUITES)
    results = run_concurrently({name: partial(_run_suite, name) for name in wanted}, limit=_CONCURRENT_SUITES)
    for one in results:
        if one.last_lines:
            print("\n".join(["", f"Last output of {one.suite}:", *one.last_lines]))
    print("\n".join(["", *map(str, results)]))
    passed = sum(one.passed for one in results)
    seconds = time.monotonic() - began
    print(f"{passed} passed, {len(results) - passed} failed, {seconds:.0f} s", flush=True)
    return 0 if passed == len(results) else 1


def _relative(path: str) -> str:
    """Return a path relative to the project folder."""
    file, separator, name = path.partition("::")
    return f"{(PROJECT / file).resolve().relative_to(PROJECT)}{separator}{name}"


def _run_suite(name: str) -> _SuiteResult:
    say(f"suite {name}")
    began = time.monotonic()
    try:
        passed = SUITES[name]()
    except LauncherError as error:
        say(str(error))
        passed = False
    seconds = time.monotonic() - began
    result = _SuiteResult(name, passed, seconds, () if passed else last_lines())
    say(str(result))
    return result
