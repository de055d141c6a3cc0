"""`./fleetlog sign-out`: revocation of a user's tokens.

Examples:
  ./fleetlog sign-out 'dev|asha'
  ./fleetlog sign-out 'auth0|64ff' --session 0b1c2d
"""

import argparse
import os
import subprocess

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.paths import PYTHON
from ops.launcher.services import IDENTITY_PROVIDER, become


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    parser.add_argument("subject", metavar="SUBJECT", help="the subject of the user's tokens, as `dev|asha`")
    parser.add_argument("--session", metavar="SID", help="only tokens of this session")


def run(arguments: argparse.Namespace) -> int:
    words = [] if arguments.session is None else [f"--session={arguments.session}"]
    environments = running_instance(DataFolder(arguments.data)).environments
    if (provider := environments.get(IDENTITY_PROVIDER.name)) is not None:
        # First, because the provider could otherwise issue new tokens in between.
        command = [*PYTHON, *IDENTITY_PROVIDER.arguments, "sign-out", *words, "--", arguments.subject]
        if subprocess.run(command, env={**os.environ, **provider}, check=False).returncode:
            raise LauncherError("the development identity provider could not end the user's sessions")
        words.append("--ended-there")
    become("command_api", environments["command-api"], "sign-out", *words, "--", arguments.subject)
