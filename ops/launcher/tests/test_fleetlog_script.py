"""The script `./fleetlog`, up to the point where Python takes over."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ops.launcher.paths import PROJECT

SHELLS = [shell for shell in ("/bin/sh", "/bin/dash", "/bin/bash") if Path(shell).exists()]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder with a space in its name, whose Python prints its arguments."""
    project = tmp_path / "my project"
    for package in ("command-api", "ops/base"):
        (project / package).mkdir(parents=True)
    shutil.copy(PROJECT / "fleetlog", project)
    for name in (
        "requirements.lock",
        "pyproject.toml",
        "command-api/pyproject.toml",
        "ops/base/pyproject.toml",
    ):
        (project / name).write_text(f"# {name}\n")
    binaries = project / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    (binaries / "python").chmod(0o755)
    return project


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", **environment}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd="/")


def finish_set_up(project: Path) -> None:
    """Let a stand-in for the set-up write the stamp that the script asks for."""
    launcher = project / "ops/launcher/src/ops/launcher"
    launcher.mkdir(parents=True)
    (launcher / "bootstrap.py").write_text(
        "import pathlib, sys\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "(root / '.venv/set-up-stamp').write_text(sys.argv[2])\n"
        "print('set up', file=sys.stderr)\n"
    )
    done = run([str(project / "fleetlog"), "--help"])
    assert (done.returncode, done.stderr) == (0, "set up\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_finished_set_up_is_not_repeated(project: Path, shell: str) -> None:
    finish_set_up(project)
    done = run([shell, str(project / "fleetlog"), "up", "--data", "a b", "*"])
    assert done.stdout == "<-P><-m><ops.launcher><up><--data><a b><*>"
    assert done.stderr == ""


def test_the_script_works_through_a_link(project: Path, tmp_path: Path) -> None:
    finish_set_up(project)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "fleetlog").symlink_to(Path("..") / "my project" / "fleetlog")
    done = run([str(tmp_path / "bin" / "fleetlog"), "status"])
    assert (done.stdout, done.stderr) == ("<-P><-m><ops.launcher><status>", "")


@pytest.mark.parametrize("changed", ["requirements.lock", "ops/pyproject.toml"])
def test_new_requirements_are_set_up(project: Path, changed: str) -> None:
    finish_set_up(project)
    (project / changed).write_text("# newer\n")
    assert run([str(project / "fleetlog"), "status"]).stderr == "set up\n"


def test_a_moved_project_is_set_up_again(project: Path) -> None:
    finish_set_up(project)
    moved = project.rename(project.with_name("moved"))
    assert run([str(moved / "fleetlog"), "status"]).stderr == "set up\n"


def test_a_missing_python_is_explained(project: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "readlink", "dirname", "cat", "cksum"):
        (tools / tool).symlink_to(shutil.which(tool) or "")
    old = tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = run([str(project / "fleetlog"), "up"], PATH=str(tools))
    assert done.returncode == 1
    assert done.stderr == "fleetlog: Python 3.11 or newer is needed, and none was found on PATH\n"


def test_help_is_quick_and_lists_the_commands() -> None:
    # os.environ: the coverage of a real user's shell, with HOME pointing nowhere
    done = run([str(PROJECT / "fleetlog"), "--help"], **{**os.environ, "HOME": "/nonexistent"})
    assert done.returncode == 0
    for command in (
        "up",
        "down",
        "status",
        "token",
        "demo",
        "projections",
        "test",
        "soak",
        "lint",
        "lock",
    ):
        assert f"    {command}" in done.stdout


def test_an_unknown_command_is_reported_in_one_line() -> None:
    done = run([str(PROJECT / "fleetlog"), "fly"], **os.environ)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "invalid choice: 'fly'" in done.stderr.splitlines()[-1]
