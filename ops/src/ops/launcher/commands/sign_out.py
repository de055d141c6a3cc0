"""`./fleetlog sign-out SUBJECT [--session SID]`: what somebody was given to sign in with is taken no more."""

import argparse
from pathlib import Path

from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import IDENTITY_PROVIDER, become


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("subject", metavar="SUBJECT", help="as tokens name them, such as `dev|asha`")
    parser.add_argument("--session", metavar="SID", help="only what was given in this session")


def run(arguments: argparse.Namespace) -> int:
    """End their sessions at the development provider, and become `python -m command_api sign-out …`."""
    environments = running_instance(DataFolder(arguments.data)).environments
    if (provider := environments.get(IDENTITY_PROVIDER.name)) is not None:
        # First, or who is signed in there would be given new tokens in between.
        from ops.launcher.identity_provider.store import Store  # noqa: PLC0415 - few commands need it

        store = Store(Path(provider["FLEETLOG_IDP_STATE"]))
        store.end_sessions(arguments.subject, arguments.session)
        store.close()
    words = [] if arguments.session is None else [f"--session={arguments.session}"]
    words += [] if provider is None else ["--ended-there"]
    become("command_api", environments["command-api"], "sign-out", *words, "--", arguments.subject)
