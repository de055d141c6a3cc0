"""`./fleetlog token`: an access token for curl."""

import argparse

from ops.launcher.errors import LauncherError
from ops.launcher.signing_in import SignIn, add_arguments


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--as",
        dest="name",
        metavar="ROLE",
        help="at the development provider: in which role, or as which subject (default: staff)",
    )
    add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the token alone, so that `$(./fleetlog token)` works; all else is told on standard error."""
    sign_in = SignIn.of(arguments)
    if arguments.name is not None and not sign_in.provider.names:
        raise LauncherError(f"{sign_in.provider.issuer} asks people who they are: leave --as out")
    print(sign_in.token(arguments.name or "staff"))
    return 0
