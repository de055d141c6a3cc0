"""`./fleetlog token`: an access token for curl.

Examples:
  TOKEN=$(./fleetlog token)
  ./fleetlog token --as auditor
  ./fleetlog token --url https://fleet.example
"""

import argparse

from ops.launcher.errors import LauncherError
from ops.launcher.sign_in import SignIn, add_arguments


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as",
        dest="name",
        metavar="ROLE",
        help="role or subject at the development identity provider (default: staff)",
    )
    add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    # Only the token goes to standard output, for `$(./fleetlog token)`.
    sign_in = SignIn.from_arguments(arguments)
    if arguments.name is not None and not sign_in.provider.names:
        raise LauncherError(f"{sign_in.provider.issuer} asks users to sign in: omit --as")
    print(sign_in.token(arguments.name or "staff"))
    return 0
