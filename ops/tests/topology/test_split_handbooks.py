"""The handbooks' commands for containers, and ops/restore, work in the stand-in for a container engine."""

import argparse
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Listener
from pathlib import Path
from typing import Final, NoReturn

import psycopg
import pytest

from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.cluster import Cluster
from ops.launcher.postgres.temporary import temporary_server
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.handbooks import RUN, block, prepare_workplace
from ops.testing.split.engine import Engine
from ops.testing.split.stack import SplitStack

pytestmark = [pytest.mark.integration, pytest.mark.split, pytest.mark.timeout(600)]
PRINTS: Final = {
    ("README.md", "./fleetlog secrets"): [r"revisions +[0-9]"],
    ("ops/docs/operators.md", "./fleetlog secrets"): ["query-api-2"],
    ("ops/docs/permissions.md", "./fleetlog sign-out"): [r"Signed out: auth0\|5f7c"],
    ("ops/docs/split.md", "docker compose exec key-backups"): [
        r"keys: /\S+/keys-\w+Z\.sqlite",
        r"keys: 0 restored, [1-9]\d* existed already",
    ],
    ("ops/docs/containers.md", "docker compose exec backups"): [
        r"backups: backup-\w+Z contains [1-9]\d* events"
    ],
    ("ops/docs/containers.md", "docker compose ps"): [
        "query-api-2",
        r'"status": "ok"',
        r"revisions +[1-9]",
        "rebuild",
        "publishes again from 1 on",
        r"Signed out: dev\|nobody\.",
        "match their seals",
        r"Proven: these are all events \(1\) of horse:",
    ],
}
"""Patterns of the output, by block."""
RESTORING: Final = ("ops/docs/containers.md", "docker compose down")


Answer = str | tuple[list[str], dict[str, str]]
"""An error, or a command line and its environment."""

_PROGRAM: Final = """\
#!{python} -SP
import os, sys
from multiprocessing.connection import Client
with Client({address!r}) as engine:
    engine.send((sys.argv[1:], dict(os.environ)))
    answer = engine.recv()
if isinstance(answer, str):
    sys.exit(answer)
os.chdir("/")
os.execve(answer[0][0], *answer)
"""
_OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    "build": (),
    "config": (),
    "down": (),
    "exec": ("-T", "--no-TTY", "-e="),
    "ps": ("--all", "--quiet"),
    "pull": (),
    "run": ("--rm", "--no-deps", "-T", "-e="),
    "up": ("--detach", "--no-deps", "--no-start", "--wait"),
}
"""The options that handbooks and scripts use, by command; `=`: with a value."""
_INSIDE: Final = ("exec", "run")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


class DockerProgram:
    """A `docker` program for shells, which runs `docker compose …` in the stand-in for an engine.

    Unknown options and services, and `exec` in a service that does not run, are refused. Commands that start
    or stop services, such as `up`, do nothing. The program is in a folder for a shell's PATH.

    Attributes:
        more: further variables of a service's commands, by service.
        is_down: whether all services count as stopped.
    """

    def __init__(self, engine: Engine, folder: Path) -> None:
        """Create the program; `close` ends its thread."""
        self.folder = folder
        self.more: dict[str, dict[str, str]] = {}
        self.is_down = False
        self._engine = engine
        address = str(folder / "engine")
        self._listener = Listener(address, backlog=16)
        program = folder / "docker"
        program.write_text(_PROGRAM.format(python=sys.executable, address=address))
        program.chmod(0o755)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                with self._listener.accept() as shell:
                    words, environment = shell.recv()
                    try:
                        shell.send(self._compose(words, environment))
                    except ValueError as error:
                        shell.send(f"docker {' '.join(words)}: {error}")
            except OSError:
                return

    def _compose(self, words: list[str], environment: dict[str, str]) -> Answer:
        name = words[1] if words[:1] == ["compose"] and len(words) > 1 else ""
        if name not in _OPTIONS:
            raise ValueError("this command needs a container engine")
        parser = _Parser(prog=name, add_help=False, allow_abbrev=False)
        for option in _OPTIONS[name]:
            flag, value, _ = option.partition("=")
            parser.add_argument(flag, action="append" if value else "store_true", dest=flag.strip("-"))
        parser.add_argument("services", nargs=1 if name in _INSIDE else "*")
        parser.add_argument("command", nargs=argparse.REMAINDER)
        arguments = parser.parse_args(words[2:])
        if unknown := {*arguments.services} - self._engine.compose.services.keys():
            raise ValueError(f"no such service: {min(unknown)}")
        if name in _INSIDE:
            return self._inside(arguments, environment, is_running=name == "exec")
        if name == "ps":
            return self._ps(arguments)
        return _printing("name: fleetlog\n" if name == "config" else "")

    def _inside(
        self, arguments: argparse.Namespace, environment: Mapping[str, str], *, is_running: bool
    ) -> Answer:
        (service,) = arguments.services
        if is_running and (self.is_down or not self._engine.first(service).is_running):
            raise ValueError(f'service "{service}" is not running')
        words = arguments.command or self._engine.compose.services[service].command
        command, own = self._engine.inside(service, words)
        passed_on = {name: environment[name] for name in arguments.e or () if name in environment}
        return command, {"PATH": "/usr/bin:/bin", **own, **passed_on, **self.more.get(service, {})}

    def _ps(self, arguments: argparse.Namespace) -> Answer:
        names = [] if self.is_down else list(self._engine.containers)
        wanted = [
            name for name in names if not arguments.services or name.rpartition("-")[0] in arguments.services
        ]
        return _printing("".join(f"{name}\n" for name in wanted))


def _printing(text: str) -> Answer:
    return ["/usr/bin/printf", "%s", text], {}


@pytest.fixture
def docker(split_stack: SplitStack) -> Iterator[DockerProgram]:
    with open_folder() as folder:
        prepare_workplace(folder)
        program = DockerProgram(split_stack.engine, folder)
        yield program
        program.close()


def path(docker: DockerProgram) -> str:
    return f"{docker.folder}:/usr/local/bin:/usr/bin:/bin"


@pytest.mark.parametrize(
    ("page", "begins"), [each for each in RUN["ops/tests/topology"] if each != RESTORING]
)
def test_commands_of_a_page_work(
    split_stack: SplitStack, docker: DockerProgram, horse: str, page: str, begins: str
) -> None:
    wait_for(lambda: split_stack.engine.first("key-backups").is_running)
    printed = block(page, begins).run(
        docker.folder,
        {
            "./fleetlog secrets  ": f"./fleetlog secrets {docker.folder}/secrets  ",
            "/etc/fleetlog": str(docker.folder),
        },
        without=["./fleetlog sign-out"],
        PATH=path(docker),
        ENTITY=horse,
        PUBLIC_KEY=(split_stack.secrets / "public-key").read_text(),
        SUBJECT="dev|nobody",
        FLEETLOG_TOKEN=split_stack.token("analyst"),
    )
    for expected in PRINTS[page, begins]:
        assert re.search(expected, printed), printed
    if (events := docker.folder / "events").exists():
        assert "fleetlog.horse.registered.v2" in events.read_text()


def test_moment_is_restored_from_backups_and_accepted(
    split_stack: SplitStack,
    docker: DockerProgram,
    horse: str,
    register_horse: Callable[[], tuple[str, int]],
) -> None:
    kept = Path(split_stack.engine.first("backups").environment["FLEETLOG_BACKUPS"])
    wait_for(lambda: any(kept.glob("*/backup-*Z")))
    with psycopg.connect(split_stack.owner_dsn, autocommit=True) as owner:
        ((moment,),) = owner.execute("SELECT clock_timestamp()").fetchall()
    later, _ = register_horse()
    split_stack.wait_until_streamed()
    account = server_account()
    many = {"max_connections": "200"}  # recovery needs at least the former number
    with open_folder() as folder:
        cluster = Cluster(folder, find_binaries(account), account)
        seals = {"FLEETLOG_SEALS": str(folder / "seals")}
        docker.more = {"postgres": {"PGDATA": str(cluster.data)}, "restore": seals}
        restoring = block(*RESTORING)

        def run(*without: str) -> str:
            return restoring.run(docker.folder, without=without, PATH=path(docker), MOMENT=moment.isoformat())

        with pytest.raises(AssertionError, match="restore: services run; stop them: docker compose down"):
            run("docker compose run", "docker compose up")
        docker.is_down = True
        run("docker compose run", "docker compose up")
        for file in (cluster.data, *cluster.data.rglob("*")):
            account.own(file)
        password = (split_stack.secrets / "owner-password").read_text()
        with temporary_server(cluster, password, folder / "log", many) as dsn:
            docker.more["accept"] = {"FLEETLOG_DATABASE": dsn, **seals}
            printed = run("docker compose down", "ops/restore")
            assert "Sealing was restarted after position " in printed
            assert re.search(r"Accepted: the log [0-9a-f]{32} continues after position [1-9]", printed)
            with psycopg.connect(dsn) as restored:
                events = "SELECT originator_id FROM log.events WHERE originator_id = ANY(%s)"
                assert restored.execute(events, [[horse, later]]).fetchall() == [(horse,)]


@pytest.mark.parametrize(
    ("existing", "words", "message"),
    [
        ([], ["--to-moment", "2020-01-01T00:00:00Z"], "after that moment"),
        ([], ["--log", "unknown"], "contains no complete backup"),
        (["PG_VERSION"], [], "docker compose down && docker volume rm fleetlog_postgres fleetlog_seals"),
    ],
)
def test_failed_restore_reports_it_and_leaves_the_volume_unchanged(
    split_stack: SplitStack, docker: DockerProgram, existing: list[str], words: list[str], message: str
) -> None:
    kept = Path(split_stack.engine.first("backups").environment["FLEETLOG_BACKUPS"])
    wait_for(lambda: any(kept.glob("*/backup-*Z")))
    data = docker.folder / "volume" / "data"
    data.mkdir(parents=True)
    for name in existing:
        (data / name).touch()
    docker.is_down = True
    docker.more = {
        "postgres": {"PGDATA": str(data)},
        "restore": {"FLEETLOG_SEALS": str(docker.folder / "seals")},
    }
    done = subprocess.run(
        ["ops/restore", *words],
        cwd=docker.folder,
        env={"PATH": path(docker)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert message in done.stderr
    assert ("restore: nothing was restored" in done.stderr) == (not existing)
    assert [each.name for each in data.parent.iterdir()] == ["data"]
    assert [each.name for each in data.iterdir()] == existing
    assert not (docker.folder / "seals").exists()
