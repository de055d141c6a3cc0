"""`./fleetlog privacy`: what is held about somebody, and whether they were forgotten, as a receipt says."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ops.launcher.commands.audit import public_key, text_of
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import become
from ops.tamper_evidence.receipts import BadReceipt, Receipt, check_receipt


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    data = argparse.ArgumentParser(add_help=False)  # `--data` after the action, too
    data.add_argument("--data", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="check a receipt of an erasure, with nothing but the public key")
    check.add_argument("receipt", type=Path, metavar="RECEIPT", help="the file with the receipt")
    check.add_argument(
        "--key", required=True, metavar="PUBKEY", help="the public key, or the file that holds it"
    )
    export = actions.add_parser(
        "export", help="print all that is held about a record, and who has seen it", parents=[data]
    )
    export.add_argument("subject", metavar="ENTITY:ID", help="such as driver:EMP-001")
    export.add_argument("--html", action="store_true", help="as a page to print, rather than JSON")


def run(arguments: argparse.Namespace) -> int:
    """Carry the action out."""
    if arguments.action == "export":
        environments = running_instance(DataFolder(arguments.data)).environments
        words = ["--html"] if arguments.html else []
        become("query_api", environments["query-api"], "held", *words, "--", arguments.subject)
    text, key = text_of(arguments.receipt), public_key(arguments.key)
    try:
        receipt = check_receipt(text, key)
    except BadReceipt as error:
        sys.stderr.write(f"NOT PROVEN: {error}\n")
        return 1
    for line in _told(receipt, key.name):
        print(line)
    return 0


def _told(receipt: Receipt, signer: str) -> Iterator[str]:
    statement, event, checkpoint = receipt
    moment = f"{event.moment:%Y-%m-%dT%H:%M:%SZ}"
    yield (
        f"Proven: position {event.position} of the log {checkpoint.origin} erases {event.originator_id},"
        f" at {moment}."
    )
    basis, asked, erased = statement["basis"], statement["asked"], statement["erased"]
    yield f"Signed for by {signer}:"
    why = ", ".join([basis["word"], *basis["articles"]])
    if asked is not None:
        yield f"  asked for by {asked['by']} at {asked['at']} ({why})"
    yield f"  confirmed by {erased['by']} at {erased['at']}"
    yield f"  destroyed: {_keys(statement)}"
    services = statement["services"]
    forgotten = sum(service["state"] == "forgotten" for service in services)
    yield f"  services: {forgotten} have forgotten, {len(services) - forgotten} are gone"
    yield f"  {_scan(statement['scan'])}"
    yield "Not covered:"
    for one in statement["not_covered"]:
        yield f"  {one}"


def _keys(statement: dict[str, Any]) -> str:
    keys, events, epochs = (statement[name] for name in ("keys", "events", "epochs"))
    told = (
        f"{len(keys)} keys, of {events['sealed']} events ({events['in_the_clear']} more are in the clear),"
        f" and of {statement['searches']} minutes of searches for them"
    )
    if epochs["destroyed"] is None:
        return f"{told}; what wrapped them is kept: {epochs['kept_because']}"
    return f"{told}; what wrapped them, of epoch {epochs['destroyed']}, too"


def _scan(scan: dict[str, Any]) -> str:
    if scan["not_scanned"] is not None:
        return f"not scanned: {scan['not_scanned']}"
    places = ", ".join(f"{one['place']} ({one['count']})" for one in scan["found"])
    rows, files = scan["rows"], scan["files"]
    looked = f"{rows} rows" + ("" if files is None else f" and {files} files")
    return f"looked for {scan['texts']} texts in {looked}: {places or 'none was found'}"
