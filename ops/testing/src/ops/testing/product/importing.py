"""The frontend's import, without its screen, in Node."""

import subprocess

from ops.launcher.frontend.build import ensure_installed
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND
from ops.testing.stack import Stack


def importing(stack: Stack, name: str, **settings: str) -> subprocess.Popen[str]:
    """Begin one of the tests of `frontend/src/testing/product`, which imports files into a running product.

    Args:
        stack: the product.
        name: the file's, without its ending.
        settings: further variables of the test's environment.
    """
    ensure_installed(print)
    signed_in = {"FLEETLOG_URL": stack.address, "FLEETLOG_TOKEN": stack.token("staff", lifetime=24 * 3600)}
    return subprocess.Popen(
        npm_command("run", "test:product", "--", name),
        cwd=FRONTEND,
        env=npm_environment({**signed_in, **settings}),
        stdin=subprocess.DEVNULL,
        text=True,
    )
