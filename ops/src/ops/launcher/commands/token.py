"""`./fleetlog token`: an access token for curl."""

import argparse
from pathlib import Path

from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--as",
        dest="role",
        choices=("staff", "auditor", "analyst"),
        default="staff",
        help="which of the demonstration users (default: staff)",
    )
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the token alone, so that `$(./fleetlog token)` works."""
    environment = running_instance(DataFolder(arguments.data)).environments["identity-provider"]
    from ops.launcher.identity_provider.tokens import mint_access_token  # noqa: PLC0415 - loads cryptography

    token = mint_access_token(
        Path(environment["FLEETLOG_IDP_STATE"]),
        issuer=environment["FLEETLOG_ISSUER"],
        audience=environment["FLEETLOG_AUDIENCE"],
        user=arguments.role,
    )
    print(token)
    return 0
