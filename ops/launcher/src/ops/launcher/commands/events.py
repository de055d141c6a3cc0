"""`./fleetlog events tail | export`: the public events, without personal data, over HTTP."""

import argparse
import sys
from functools import partial
from pathlib import Path

from ops.launcher.events.export import FORMATS, export
from ops.launcher.events.source import Source, Wanted
from ops.launcher.events.tail import tail
from ops.launcher.instance.data_folder import add_data_argument
from ops.launcher.signing_in import SignIn, add_sign_in_arguments, given_token


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--data", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    add_sign_in_arguments(common)
    common.add_argument(
        "--entity", action="append", default=[], metavar="NAME", help="only this entity type, such as driver"
    )
    common.add_argument(
        "--type",
        action="append",
        default=[],
        metavar="TYPE",
        help="only this type: fleetlog.driver.registered.v2, driver.registered or registered",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    following = actions.add_parser(
        "tail", help="print events as lines of JSON, as they happen", parents=[common]
    )
    following.add_argument(
        "--after",
        default="head",
        metavar="POSITION",
        help="begin after this position or event's id; 0: at the first event (default: only new ones)",
    )
    exporting = actions.add_parser("export", help="write the events there are to a file", parents=[common])
    exporting.add_argument(
        "--after",
        default="0",
        metavar="POSITION",
        help="begin after this position or event's id (default: at the first event)",
    )
    exporting.add_argument("--format", choices=FORMATS, default="ndjson", help="default: ndjson")
    exporting.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")


def run(arguments: argparse.Namespace) -> int:
    """Carry the action out."""
    sign_in = SignIn.of(arguments, given=given_token())
    source = Source(sign_in.address, partial(sign_in.token, "analyst"))
    wanted = Wanted(arguments.after, tuple(arguments.entity), tuple(arguments.type))
    if arguments.action == "tail":
        for line in tail(source, wanted):
            print(line, flush=True)
    else:
        count = export(source, wanted, arguments.format, arguments.output)
        if arguments.output is not None:
            print(f"fleetlog: {count:,} events in {arguments.output}", file=sys.stderr)
    return 0
