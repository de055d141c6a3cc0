"""`./fleetlog token`: an access token for curl.

Examples:
  TOKEN=$(./fleetlog token)
  ./fleetlog token --as auditor
  ./fleetlog token --url https://fleet.example
  FLEETLOG_CLIENT_SECRET=… ./fleetlog token --url https://fleet.example --program dispatch-planner
"""

import argparse

from ops.launcher.errors import LauncherError
from ops.launcher.sign_in import SignIn, add_arguments
from ops.launcher.sign_in.programs import SECRET, program_token


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as",
        dest="name",
        metavar="ROLE",
        help="role or subject at the development identity provider (default: staff)",
    )
    parser.add_argument(
        "--program",
        metavar="ID",
        help="client id of a program, which signs in as itself (client credentials grant) with the secret in"
        f" {SECRET}; the development identity provider needs no secret",
    )
    parser.add_argument("--scope", help="scope of a program's token, for providers that require one")
    add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    # Only the token goes to standard output, for `$(./fleetlog token)`.
    sign_in = SignIn.from_arguments(arguments)
    if arguments.name is not None and not sign_in.provider.is_development:
        raise LauncherError(f"{sign_in.provider.issuer} asks users to sign in: omit --as")
    if arguments.program is not None:
        print(program_token(sign_in.provider, arguments.program, arguments.scope))
        return 0
    print(sign_in.token(arguments.name or "staff"))
    return 0
