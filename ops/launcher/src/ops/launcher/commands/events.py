"""`./fleetlog events`: the public event stream over HTTP, without personal data.

Examples:
  ./fleetlog events tail --entity driver
  ./fleetlog events export --format csv -o events.csv
  ./fleetlog events export --type registered --url https://fleet.example
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from ops.launcher.events.export import FORMATS, export
from ops.launcher.events.source import EventSource, Filter
from ops.launcher.events.tail import tail
from ops.launcher.instance.data_folder import add_actions, add_data_argument
from ops.launcher.sign_in import SignIn, add_sign_in_arguments, given_token


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    following, exporting = add_actions(
        parser,
        {
            "tail": "print events as lines of JSON as they happen",
            "export": "write all existing events to a file",
        },
    )
    for action, start, default in ((following, "head", "only new events"), (exporting, "0", "all events")):
        add_sign_in_arguments(action)
        action.add_argument(
            "--entity", action="append", default=[], metavar="NAME", help="only this entity type: driver, …"
        )
        action.add_argument(
            "--type",
            action="append",
            default=[],
            metavar="TYPE",
            help="only this event type: fleetlog.driver.registered.v2, driver.registered or registered",
        )
        action.add_argument(
            "--after",
            default=start,
            metavar="POSITION",
            help=f"start after this position or event id; 0: at the first event (default: {default})",
        )
    exporting.add_argument("--format", choices=FORMATS, default="ndjson", help="default: ndjson")
    exporting.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")


def run(arguments: argparse.Namespace) -> int:
    sign_in = SignIn.from_arguments(arguments, given=given_token())
    source = EventSource(sign_in.address, partial(sign_in.token, "analyst"))
    wanted = Filter(arguments.after, tuple(arguments.entity), tuple(arguments.type))
    if arguments.action == "tail":
        for line in tail(source, wanted):
            print(line, flush=True)
    else:
        count = export(source, wanted, arguments.format, arguments.output)
        if arguments.output is not None:
            print(f"fleetlog: {count:,} events in {arguments.output}", file=sys.stderr)
    return 0
