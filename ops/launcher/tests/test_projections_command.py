"""`./fleetlog projections` where no product runs."""

import subprocess
from pathlib import Path

from ops.launcher.paths import PYTHON


def projections(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command with no environment, so that it can know of no database."""
    command = [*PYTHON, "ops.launcher", "projections", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")


def test_schemas_are_the_codes_and_need_no_instance(tmp_path: Path) -> None:
    done = projections("--data", tmp_path / "none", "schemas")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("released schemas; nothing differs\n")


def test_everything_else_does(tmp_path: Path) -> None:
    done = projections("--data", tmp_path / "none", "status")
    assert done.returncode == 1
    assert "nothing is running" in done.stderr
