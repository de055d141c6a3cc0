"""The handbooks' commands for containers, and ops/restore, work in the stand-in for a container engine."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest

from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.cluster import Cluster
from ops.launcher.postgres.temporary import temporary_server
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.handbooks import RUN, block, prepare_workplace
from ops.testing.split.docker import DockerProgram
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
        "Proven: these are the first 1 events",
    ],
}
"""Patterns of the output, by block."""
RESTORING: Final = ("ops/docs/containers.md", "docker compose down")


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
