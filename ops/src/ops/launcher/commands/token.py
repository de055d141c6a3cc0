"""`./fleetlog token`: an access token for curl."""

import argparse

from ops.launcher.identity_provider.roles import ROLES
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--as",
        dest="role",
        choices=ROLES,
        default="staff",
        help="in which role, with its permissions (default: staff)",
    )
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the token alone, so that `$(./fleetlog token)` works."""
    record = running_instance(DataFolder(arguments.data))
    from ops.launcher.identity_provider.tokens import development_token  # noqa: PLC0415 - loads cryptography

    print(development_token(record, arguments.role))
    return 0
