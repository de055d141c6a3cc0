"""Playwright's tests against a running product."""

import subprocess

from ops.development.chromium import find_or_install_chromium
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND


def run_browser_tests(address: str, *words: str, **settings: str) -> None:
    """Run tests of `frontend/e2e`, which must pass.

    Args:
        address: of the product.
        words: arguments of Playwright.
        settings: further environment variables.
    """
    chromium = find_or_install_chromium()
    done = subprocess.run(
        npm_command("run", "e2e", "--", *words),
        cwd=FRONTEND,
        env=npm_environment({"BASE_URL": address, "CHROMIUM_PATH": str(chromium or ""), **settings}),
        check=False,
    )
    assert done.returncode == 0
