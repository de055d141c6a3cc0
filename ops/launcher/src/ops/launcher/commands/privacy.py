"""`./fleetlog privacy`: the personal data held about a person, and receipts of erasures.

Examples:
  ./fleetlog privacy export driver:EMP-001 --html > report.html
  ./fleetlog privacy check receipt.json --key public-key
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ops.launcher.commands.audit import add_key_argument, read_public_key, read_text
from ops.launcher.instance.data_folder import DataFolder, add_actions, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import become
from ops.tamper_evidence.receipts import BadReceipt, Receipt, check_receipt


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    check, export = add_actions(
        parser,
        {
            "check": "check the receipt of an erasure offline, with the public key alone",
            "export": "print the personal data held about a record, and who has seen it",
        },
    )
    check.add_argument("receipt", type=Path, metavar="RECEIPT", help="a file with the receipt")
    add_key_argument(check)
    export.add_argument("subject", metavar="ENTITY:ID", help="such as driver:EMP-001")
    export.add_argument("--html", action="store_true", help="print a page instead of JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "export":
        environments = running_instance(DataFolder(arguments.data)).environments
        words = ["--html"] if arguments.html else []
        become("query_api", environments["query-api"], "held", *words, "--", arguments.subject)
    text, key = read_text(arguments.receipt), read_public_key(arguments.key)
    try:
        receipt = check_receipt(text, key)
    except BadReceipt as error:
        sys.stderr.write(f"NOT PROVEN: {error}\n")
        return 1
    for line in _lines(receipt, key.name):
        print(line)
    return 0


def _lines(receipt: Receipt, signer: str) -> Iterator[str]:
    statement, event, checkpoint = receipt
    moment = f"{event.moment:%Y-%m-%dT%H:%M:%SZ}"
    yield (
        f"Proven: position {event.position} of the log {checkpoint.origin} erases {event.originator_id},"
        f" at {moment}."
    )
    basis, asked, erased = statement["basis"], statement["asked"], statement["erased"]
    yield f"Signed by {signer}:"
    why = ", ".join([basis["word"], *basis["articles"]])
    if asked is not None:
        yield f"  requested by {asked['by']} at {asked['at']} ({why})"
    yield f"  confirmed by {erased['by']} at {erased['at']}"
    yield f"  destroyed: {_keys(statement)}"
    services = statement["services"]
    erased_there = sum(service["state"] == "forgotten" for service in services)
    yield (
        f"  services: {erased_there} have dropped the keys,"
        f" {len(services) - erased_there} are no longer running"
    )
    yield f"  {_scan(statement['scan'])}"
    yield "Not covered:"
    for one in statement["not_covered"]:
        yield f"  {one}"


def _keys(statement: dict[str, Any]) -> str:
    keys, events, epochs = (statement[name] for name in ("keys", "events", "epochs"))
    destroyed = (
        f"{len(keys)} keys, of {events['sealed']} encrypted events (and {events['in_the_clear']} unencrypted"
        f" ones), and of {statement['searches']} minutes of searches"
    )
    if epochs["destroyed"] is None:
        return f"{destroyed}; their key-encryption key is retained: {epochs['kept_because']}"
    return f"{destroyed}; and their key-encryption key, of epoch {epochs['destroyed']}"


def _scan(scan: dict[str, Any]) -> str:
    if scan["not_scanned"] is not None:
        return f"not scanned: {scan['not_scanned']}"
    places = ", ".join(f"{one['place']} ({one['count']})" for one in scan["found"])
    rows, files = scan["rows"], scan["files"]
    scanned = f"{rows} rows" + ("" if files is None else f" and {files} files")
    return f"searched {scanned} for {scan['texts']} texts: {places or 'none was found'}"
