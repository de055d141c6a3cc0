"""The command line: one module per command, imported only when its command is used."""

import argparse
import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from ops.launcher.errors import LauncherError

COMMANDS = {
    "up": "run the product on this machine",
    "down": "stop a running instance",
    "status": "show the state of each process; exit status 1 unless all are ready",
    "doctor": "find faults of an instance or of this machine, and the commands that fix them",
    "sign-out": "revoke a user's tokens immediately",
    "token": "print an access token for curl",
    "events": "follow or export the public event stream",
    "projections": "show the lag of the read tables, retry quarantined events, rebuild tables",
    "audit": "verify the log against its seals; export and check the history of a record",
    "privacy": "print the personal data held about a person; check the receipt of an erasure",
    "backup": "back up a running instance",
    "restore": "restore a backup into a new data folder; accept a restored log",
    "relay": "publish events to Kafka again, from a position",
    "secrets": "create the passwords and keys for compose.yaml",
}
"""The modules of `commands/`; their docstrings end with examples for `--help`."""

DEVELOPMENT_COMMANDS = {
    "demo": "load a demonstration fleet through the HTTP API",
    "kafka": "run an Apache Kafka broker on this machine, for trials of the relay",
    "test": "run test suites or single tests",
    "soak": "run a long test, such as: soak kills",
    "bench": "measure the product on an instance of its own, and compare with the limits of this machine",
    "lint": "check format, types and import rules",
    "lock": "update requirements.lock and the lock file of each image",
}
"""The modules of `ops.development.commands`, which only the development image has."""

_EXAMPLES = """\
examples:
  ./fleetlog up                 start the product at http://localhost:8080
  ./fleetlog demo               fill it with a demonstration fleet
  ./fleetlog doctor             find out what is wrong
  ./fleetlog backup --help      show the options of one command, with examples
"""


def main(arguments: Sequence[str]) -> int:
    """Run the command in `arguments`, the words after `./fleetlog`, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="./fleetlog",
        description="Fleetlog, the back-office of a fleet and transport operator.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    typed = arguments[0] if arguments else ""
    command: ModuleType | None = None
    packages = {name: ("ops.launcher", purpose) for name, purpose in COMMANDS.items()}
    if importlib.util.find_spec("ops.development") is not None:
        packages |= {name: ("ops.development", purpose) for name, purpose in DEVELOPMENT_COMMANDS.items()}
    for name, (package, purpose) in packages.items():
        subparser = subparsers.add_parser(
            name,
            help=purpose,
            description=purpose[0].upper() + purpose[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == typed:
            command = importlib.import_module(f"{package}.commands.{name.replace('-', '_')}")
            _, heading, examples = (command.__doc__ or "").partition("Examples:\n")
            subparser.epilog = heading.lower() + examples.rstrip() or None
            command.configure(subparser)
    parsed = parser.parse_args(arguments)
    if command is None:
        raise AssertionError("argparse accepts no unknown command")
    try:
        status: int = command.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has ended, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (LauncherError, OSError) as error:  # an OSError reports a full disk, a missing right and the like
        print(f"fleetlog: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status
