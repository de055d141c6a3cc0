"""`./fleetlog up`, `status` and `down` with the complete product."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import psutil
import psycopg
import pytest

from ops.launcher.cli import main
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import read_record
from ops.launcher.paths import PYTHON
from ops.launcher.processes.ports import free_port
from ops.testing.folders import open_folder
from ops.testing.postgres import Database
from ops.testing.processes import in_background
from ops.testing.stack import Stack, running_stack

pytestmark = pytest.mark.integration

SERVICES = {"command-api", "query-api", "identity-provider", "projections", "notify"}
PROCESSES = {"postgres", "gateway"} | SERVICES


@pytest.fixture(scope="module")
def instance() -> Iterator[Stack]:
    """A separate instance, because these tests kill its processes."""
    with running_stack() as stack:
        yield stack


def up(data: Path, *arguments: str, port: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run `up`, which must fail."""
    command = ["up", "--data", str(data), "--port", str(port or free_port()), *arguments]
    return subprocess.run(
        [*PYTHON, "ops.launcher", *command],
        env={**os.environ, "FLEETLOG_FRONTEND_DIST": str(data.parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """Return the error line of a failed command."""
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 60
    while any(psutil.pid_exists(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def log_id(stack: Stack) -> str:
    with psycopg.connect(stack.owner_dsn) as connection:
        row = connection.execute("SELECT log_id FROM log.identity").fetchone()
    assert row is not None
    return str(row[0])


def test_it_listens_on_loopback_only(instance: Stack) -> None:
    listening = {
        connection.laddr.ip
        for process in instance.record().processes.values()
        for connection in psutil.Process(process.pid).net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening <= {"127.0.0.1", "::1"}


def test_no_password_is_on_a_command_line_or_readable_by_others(instance: Stack) -> None:
    secrets = json.loads((instance.data / "secrets.json").read_text())
    words = " ".join(
        word
        for process in instance.record().processes.values()
        for word in psutil.Process(process.pid).cmdline()
    )
    for password in (secrets["superuser"], *secrets["roles"].values()):
        assert password not in words
        for file in instance.data.glob("*"):
            if file.is_file() and password in file.read_text():
                assert file.stat().st_mode & 0o077 == 0


def test_a_busy_port_is_refused() -> None:
    with open_folder() as folder, socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = refusal(up(folder / "data", port=port))
    assert line == f"fleetlog: port {port} is in use by another program; choose one with --port"


def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    line = refusal(up(tmp_path / "file" / "data"))
    assert line == f"fleetlog: cannot write to the data folder {tmp_path}/file/data: Not a directory"


@pytest.mark.parametrize(
    ("dsn", "message"),
    [
        ("postgresql://user:pass word@host/db name", "the database's DSN is not well-formed"),
        (f"postgresql://user:s3cret@127.0.0.1:{free_port()}/db", "cannot connect to the database"),
    ],
)
def test_an_unusable_database_is_refused(tmp_path: Path, dsn: str, message: str) -> None:
    line = refusal(up(tmp_path / "data", "--database", dsn))
    assert message in line
    assert "s3cret" not in line
    assert "pass word" not in line


def test_a_database_with_an_unknown_schema_is_refused(tmp_path: Path, database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("INSERT INTO fleetlog_migrations (name, checksum) VALUES ('9999_later', '')")
        connection.execute("INSERT INTO log.schema_revisions VALUES ('9999', '9999')")
    assert "revision 9999" in refusal(up(tmp_path / "data", "--database", database.owner))


def test_lost_passwords_are_reported(tmp_path: Path) -> None:
    (tmp_path / "data" / "postgres").mkdir(parents=True)
    assert "secrets.json is missing or damaged" in refusal(up(tmp_path / "data"))


def test_a_failed_start_of_one_process_stops_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLOG_NGINX", "/bin/false")
    with open_folder() as folder:
        done = up(folder / "data")
        record = read_record(DataFolder(folder / "data"))
        assert record is not None
        assert {process.state for process in record.processes.values()} == {"stopped"}
    assert done.returncode == 1
    assert "fleetlog: gateway ended with status 1" in done.stderr.splitlines()[-1]


def test_a_start_can_be_interrupted() -> None:
    with open_folder() as folder:
        data = DataFolder(folder / "data")
        command = [*PYTHON, "ops.launcher", "up", "--data", str(data.path), "--port", str(free_port())]
        launcher = subprocess.Popen(
            in_background(command),
            env={**os.environ, "FLEETLOG_FRONTEND_DIST": str(folder)},
            stderr=subprocess.PIPE,
        )
        while (record := read_record(data)) is None or "command-api" not in record.processes:
            assert launcher.poll() is None
            time.sleep(0.02)
        launcher.send_signal(signal.SIGINT)
        _, output = launcher.communicate(timeout=60)
        assert (launcher.returncode, output.decode().splitlines()[-1]) == (0, "fleetlog: stopped")
        assert not any(psutil.pid_exists(process.pid) for process in record.processes.values() if process.pid)


@pytest.mark.parametrize("command", ["status", "token", "demo", "projections"])
def test_commands_without_an_instance_report_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert main([command, "--data", str(tmp_path)]) == 1
    assert f"nothing is running on {tmp_path}" in capsys.readouterr().err


def test_status_shows_a_process_that_is_down(instance: Stack) -> None:
    assert instance.launcher is not None
    instance.launcher.send_signal(signal.SIGSTOP)  # so that it cannot restart the process
    try:
        before = instance.kill("query-api")
        done = instance.run("status")
    finally:
        instance.launcher.send_signal(signal.SIGCONT)
    assert done.returncode == 1
    rows = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()[2:]}
    assert rows == {**dict.fromkeys(PROCESSES, "ready"), "query-api": "down"}
    instance.wait_until_back("query-api", before)
    assert "query-api was ended by SIGKILL; restarting it" in instance.output


def test_after_kill_9_of_the_launcher_the_next_up_works(instance: Stack) -> None:
    log = log_id(instance)
    instance.kill_launcher()
    instance.start()
    assert log_id(instance) == log
    assert instance.run("status").returncode == 0


def test_after_kill_9_of_everything_the_next_up_works_and_ends_orphans(instance: Stack) -> None:
    log = log_id(instance)
    # A child that outlives its launcher, as on systems without setpriv.
    left = subprocess.Popen([*PYTHON, "http.server", "--bind", "127.0.0.1", str(free_port())])
    stranger = subprocess.Popen([*PYTHON, "http.server", "--bind", "127.0.0.1", str(free_port())])
    instance.kill_everything()
    record = instance.record()
    started = psutil.Process(left.pid).create_time()
    record.processes["query-api"] = replace(record.processes["query-api"], pid=left.pid, started=started)
    record.processes["command-api"] = replace(
        record.processes["command-api"], pid=stranger.pid, started=started - 3600
    )
    (instance.data / "running.json").write_text(json.dumps(asdict(record)))
    try:
        instance.start()
        left.wait(timeout=60)
        assert stranger.poll() is None
        assert log_id(instance) == log
        assert instance.run("status").returncode == 0
    finally:
        stranger.kill()
        stranger.wait()


def test_sigterm_ends_all_processes(instance: Stack) -> None:
    pids = [process.pid for process in instance.record().processes.values()]
    assert instance.stop() == 0
    wait_until_gone(pids)
    assert instance.run("status").returncode == 1


def test_a_detached_instance_runs_until_down(instance: Stack) -> None:
    # After the clean stop above, with the same folder.
    environment = {**os.environ, "FLEETLOG_FRONTEND_DIST": str(instance.data.parent / "frontend")}
    command = ["up", "--detach", "--port", str(instance.port), "--data", str(instance.data)]
    run = partial(
        subprocess.run,
        [*PYTHON, "ops.launcher", *command],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Fleetlog is ready: {instance.address} ")
    pids = [process.pid for process in instance.record().processes.values()]
    assert instance.run("status").returncode == 0
    assert f"{instance.data} is in use by a running instance" in refusal(run())
    down = instance.run("down")
    assert (down.returncode, down.stdout) == (0, "stopped\n")
    wait_until_gone(pids)
