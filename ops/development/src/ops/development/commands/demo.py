"""`./fleetlog demo`: load a demonstration fleet into a running instance."""

import argparse

from ops.launcher.sign_in import SignIn, add_arguments, given_token

configure = add_arguments


def run(arguments: argparse.Namespace) -> int:
    """Load the fleet through the instance's HTTP API."""
    sign_in = SignIn.from_arguments(arguments, given=given_token())
    from ops.development import demo  # noqa: PLC0415 - loads the world's places

    demo.run(sign_in.address, sign_in.token)
    return 0
