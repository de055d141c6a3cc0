"""The command line: one module per command, imported only when its command is typed."""

import argparse
import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import Protocol, cast

from ops.launcher.errors import LauncherError

COMMANDS = {
    "up": "run the whole product on this machine",
    "down": "stop a running instance",
    "status": "show each part of an instance; fails when one is not ready",
    "doctor": "say what is wrong with an instance, or with this machine, and what to type",
    "sign-out": "have what somebody was given to sign in with taken no more",
    "token": "print an access token for curl",
    "events": "the public events: follow them, or take them away as a file",
    "projections": "position and lag of the read tables; retry what they set aside; rebuild them",
    "audit": "hold the log against its seals; take an entity's history away; check such a history",
    "privacy": "print what is held about somebody, or check the receipt of an erasure",
    "backup": "copy all that a running instance keeps",
    "restore": "bring a backup back into a new data folder; accept what was restored",
    "relay": "publish again from a position on",
    "secrets": "make the passwords and the key that compose.yaml hands to its services",
}
"""What modules of `commands/` are for."""

DEVELOPMENT_COMMANDS = {
    "demo": "load a demonstration fleet through the HTTP API",
    "kafka": "run an Apache Kafka broker on this machine, to try the relay with",
    "test": "run the test suites",
    "soak": "run a long count, such as: soak kills",
    "bench": "measure the product on an instance of its own, beside what this machine gives at most",
    "lint": "format, lint, type-check and check the import rules",
    "lock": "renew requirements.lock, and what of it each image holds",
    "sbom": "write a CycloneDX document for each image and for the frontend",
}
"""What modules of `ops.development.commands` are for, which images do not have."""


class Command(Protocol):
    """What a command's module offers."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Carry the command out and return the exit status."""


def main(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: the words after `./fleetlog`.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(prog="./fleetlog", description="Fleetlog: the fleet's back-office.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    typed = arguments[0] if arguments else ""
    command: Command | None = None
    homes = {name: ("ops.launcher", purpose) for name, purpose in COMMANDS.items()}
    if importlib.util.find_spec("ops.development") is not None:
        homes |= {name: ("ops.development", purpose) for name, purpose in DEVELOPMENT_COMMANDS.items()}
    for name, (home, purpose) in homes.items():
        subparser = subparsers.add_parser(name, help=purpose, description=purpose.capitalize() + ".")
        if name == typed:
            command = cast("Command", importlib.import_module(f"{home}.commands.{name.replace('-', '_')}"))
            command.configure(subparser)
    parsed = parser.parse_args(arguments)
    if command is None:
        raise AssertionError("argparse lets no unknown command pass")
    try:
        status = command.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (LauncherError, OSError) as error:  # an OSError tells of a full disk, a closed folder and the like
        print(f"fleetlog: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status
