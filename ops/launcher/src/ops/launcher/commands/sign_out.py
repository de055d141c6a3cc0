"""`./fleetlog sign-out SUBJECT [--session SID]`: what somebody was given to sign in with is taken no more."""

import argparse
import os
import subprocess

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.paths import PYTHON
from ops.launcher.services import IDENTITY_PROVIDER, become


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("subject", metavar="SUBJECT", help="as tokens name them, such as `dev|asha`")
    parser.add_argument("--session", metavar="SID", help="only what was given in this session")


def run(arguments: argparse.Namespace) -> int:
    """End their sessions at the development provider, and become `python -m command_api sign-out …`."""
    words = [] if arguments.session is None else [f"--session={arguments.session}"]
    environments = running_instance(DataFolder(arguments.data)).environments
    if (provider := environments.get(IDENTITY_PROVIDER.name)) is not None:
        # First, or who is signed in there would be given new tokens in between.
        command = [*PYTHON, *IDENTITY_PROVIDER.arguments, "sign-out", *words, "--", arguments.subject]
        if subprocess.run(command, env={**os.environ, **provider}, check=False).returncode:
            raise LauncherError("the development provider did not end their sessions")
    words += [] if provider is None else ["--ended-there"]
    become("command_api", environments["command-api"], "sign-out", *words, "--", arguments.subject)
