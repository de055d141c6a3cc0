"""The shell blocks of README.md and the handbooks, and running them in tests."""

import re
import subprocess
import textwrap
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from ops.launcher.paths import PROJECT
from ops.testing.stack import instance_environment

PAGES: Final = ["README.md", *sorted(f"ops/docs/{path.name}" for path in (PROJECT / "ops/docs").glob("*.md"))]
_BLOCK: Final = re.compile(r"^ *```sh\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_FLEETLOG: Final = """\
#!/bin/sh
command=$1; shift
case "$command $*" in
  secrets*|*" --data "*) exec {project}/fleetlog "$command" "$@" ;;
  *) exec {project}/fleetlog "$command" --data "$HANDBOOK_DATA" "$@" ;;
esac
"""
"""A `fleetlog` script whose commands use the data folder `HANDBOOK_DATA`."""

RUN: Final = {
    "ops/tests/product": (
        ("README.md", "TOKEN="),
        ("ops/docs/analysts.md", "export FLEETLOG_URL"),
        ("ops/docs/auditors.md", "TOKEN="),
        ("ops/docs/auditors.md", "curl -sfG"),
        ("ops/docs/backups.md", "./fleetlog up"),
        ("ops/docs/backups.md", "./fleetlog down"),
        ("ops/docs/growing.md", "FLEETLOG_READ_DATABASE="),
        ("ops/docs/permissions.md", "./fleetlog sign-out"),
        ("ops/docs/programs.md", "export FLEETLOG_URL=http://localhost:8080 FLEETLOG_TOKEN"),
        ("ops/docs/programs.md", "export FLEETLOG_URL=http://localhost:8080 FLEETLOG_AUDIENCE"),
        ("ops/docs/tamper-evidence.md", "FLEETLOG_WITNESSES="),
    ),
    "ops/tests/topology": (
        ("README.md", "./fleetlog secrets"),
        ("ops/docs/operators.md", "./fleetlog secrets"),
        ("ops/docs/permissions.md", "./fleetlog sign-out"),
        ("ops/docs/split.md", "docker compose exec key-backups"),
        ("ops/docs/containers.md", "docker compose ps"),
        ("ops/docs/containers.md", "docker compose exec backups"),
        ("ops/docs/containers.md", "docker compose down"),
    ),
    "ops/launcher/tests": (("ops/docs/supply-chain.md", "FLEETLOG_PYTHON_IMAGE="),),
}
"""Page and beginning of each block, by the folder of the tests that run it."""

NOT_RUN: Final = {
    "./fleetlog up      #": "runs in the foreground; the tests start instances of their own",
    "./fleetlog up --issuer": "needs a company's provider; ops/launcher/tests have one",
    "./fleetlog test": "runs these tests",
    "FLEETLOG_WITNESSES=": "names machines that do not exist here; projections/tests has witnesses",
    "./fleetlog audit restart-sealing": "is refused while all seals exist; tested in projections/tests",
    ".venv/bin/uvx pip-audit": "asks a service on the internet",
    ".venv/bin/uvx --from": "loads a tool from the internet",
    'PATH=".venv/bin': "goes with it",
    "(cd frontend && PATH": "asks a service on the internet",
    "docker volume rm": "the stand-in for an engine has no volumes",
    "docker compose exec kafka": "the tests' broker is no container, and other tests read its topics",
}
"""Beginnings of command lines that no test runs, and the reason."""


class Block(NamedTuple):
    page: str
    text: str

    def run(
        self,
        folder: Path,
        replaced: Mapping[str, str] = MappingProxyType({}),
        *,
        without: Collection[str] = (),
        **more: str,
    ) -> str:
        """Run the block as one script, which ends at the first failure, and return its output.

        Args:
            folder: the current folder; see `prepare_workplace`.
            replaced: texts and their replacements.
            without: beginnings of lines that are not run, in addition to `NOT_RUN`.
            more: variables.

        Raises:
            AssertionError: a command failed; the text is the output.
        """
        script = self.text
        for beginning in (*NOT_RUN, *without):
            script = re.sub(rf"^{re.escape(beginning)}.*\n", "", script, flags=re.MULTILINE)
        for text, other in replaced.items():
            script = script.replace(text, other)
        done = subprocess.run(
            ["bash", "-euxo", "pipefail", "-c", script],
            cwd=folder,
            env=instance_environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"{self.page}:\n{done.stdout}")
        return done.stdout


def blocks() -> Iterator[Block]:
    """Yield the shell blocks of all pages."""
    for page in PAGES:
        for text in _BLOCK.findall((PROJECT / page).read_text("utf-8")):
            yield Block(page, textwrap.dedent(text))


def block(page: str, beginning: str) -> Block:
    """Return the only block of a page with a beginning."""
    (found,) = (each for each in blocks() if each.page == page and each.text.startswith(beginning))
    return found


def prepare_workplace(folder: Path) -> None:
    """Prepare a current folder for the commands of the handbooks."""
    program = folder / "fleetlog"
    program.write_text(_FLEETLOG.format(project=PROJECT))
    program.chmod(0o755)
    for name in (".venv", "ops", "projections", "compose.yaml"):
        (folder / name).symlink_to(PROJECT / name)
