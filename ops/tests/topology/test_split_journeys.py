"""What the embedded topology passes, the split one passes too, unchanged."""

import os
import subprocess
import sys

import pytest

from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.frontend.chromium import find_or_install_chromium
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND, PROJECT, PYTHON
from ops.testing.split.stack import SplitStack

pytestmark = [pytest.mark.integration, pytest.mark.split, pytest.mark.timeout(600)]

_FILES = "model histories read_your_writes races rebuilds tokens fuzzing feed screens security_headers"
CONTRACT = [f"ops/tests/product/test_{name}.py" for name in _FILES.split()]
WITH_THE_LAUNCHER = "planted_personal_values or poisoned_stream"
"""Tests among them that use commands of the launcher, which looks after no containers."""


def say(line: str) -> None:
    print(line, file=sys.stderr)


def browse(stack: SplitStack, *words: str) -> None:
    """Run tests in the browser."""
    chromium = find_or_install_chromium(say)
    done = subprocess.run(
        npm_command("run", "e2e", "--", *words),
        cwd=FRONTEND,
        env=npm_environment({"BASE_URL": stack.address, "CHROMIUM_PATH": str(chromium or "")}),
        check=False,
    )
    assert done.returncode == 0


@pytest.mark.skipif(FRONTEND_SETTING not in os.environ, reason=f"{FRONTEND_SETTING} names no built frontend")
def test_staff_sign_in_and_manage_drivers_in_the_browser(split_stack: SplitStack) -> None:
    browse(split_stack, "drivers.spec.ts", "-g", "from the sign-in to a driver added")


@pytest.mark.soak
@pytest.mark.timeout(2 * 3600)
@pytest.mark.skipif(FRONTEND_SETTING not in os.environ, reason=f"{FRONTEND_SETTING} names no built frontend")
def test_topology_passes_all_tests_in_the_browser(split_stack: SplitStack) -> None:
    browse(split_stack)


@pytest.mark.soak
@pytest.mark.timeout(2 * 3600)
def test_topology_passes_the_tests_of_the_running_product() -> None:
    environment = {**os.environ, "FLEETLOG_TOPOLOGY": "split"}
    done = subprocess.run(
        [*PYTHON, "pytest", *CONTRACT, "-m", "not soak", "-k", f"not ({WITH_THE_LAUNCHER})"],
        cwd=PROJECT,
        env=environment,
        check=False,
    )
    assert done.returncode == 0
