"""`./fleetlog privacy check RECEIPT`: whether somebody was forgotten, as a receipt says."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ops.launcher.commands.audit import public_key, text_of
from ops.tamper_evidence.receipts import BadReceipt, Receipt, check_receipt


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="check a receipt of an erasure, with nothing but the public key")
    check.add_argument("receipt", type=Path, metavar="RECEIPT", help="the file with the receipt")
    check.add_argument(
        "--key", required=True, metavar="PUBKEY", help="the public key, or the file that holds it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the action out."""
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
