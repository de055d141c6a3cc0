"""`./fleetlog test [NAME…]`: run the test suites, whatever they need included."""

import argparse
import time

from ops.launcher.errors import LauncherError
from ops.launcher.suites import SUITES, say


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which suites: {', '.join(SUITES)} (default: all)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the suites one after another, also after one has failed, and sum up."""
    unknown = [name for name in arguments.names if name not in SUITES]
    if unknown:
        raise LauncherError(f"there is no suite {unknown[0]}; there are {', '.join(SUITES)}")
    lines, passed, failed, skipped = [], 0, 0, 0
    for name in arguments.names or SUITES:
        say(f"suite {name}")
        began = time.monotonic()
        try:
            result = SUITES[name]()
        except LauncherError as error:
            say(str(error))
            result = False
        seconds = time.monotonic() - began
        passed, failed, skipped = (
            passed + (result is True),
            failed + (result is False),
            skipped + (result is None),
        )
        verdict = {True: "passed", False: "FAILED", None: "skipped: it has no tests"}[result]
        lines.append(f"{name:<12} {verdict:<8} {seconds:6.1f} s")
        say(lines[-1])
    print("\n".join(["", *lines]))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return 1 if failed else 0
