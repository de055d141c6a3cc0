"""The backup service and its archives. Restores in containers: ops/tests/topology."""

import io
import os
import subprocess
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from ops.launcher.backups.archive import write_archive
from ops.launcher.backups.folder import BackupFolder, has_gap, latest_below, segment_number
from ops.launcher.backups.service import BackupServiceSettings, create_if_due, due_at
from ops.launcher.backups.wal_receiver import SLOT, prepare_slot, receiver_command
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.server import client_environment, run_client
from ops.testing.backups import create_backup
from ops.testing.conditions import wait_for
from ops.testing.postgres import Database


def test_a_backup_is_due_by_schedule_and_immediately_after_a_gap(tmp_path: Path) -> None:
    folder, now, day = BackupFolder(tmp_path), datetime.now(UTC), timedelta(days=1)
    folder.create()
    assert due_at(folder, day) < now
    create_backup(folder, now)
    assert due_at(folder, day) == now + day
    (folder.wal / "000000010000000000000004").touch()
    assert due_at(folder, day) < now


def test_a_failed_backup_is_retried_soon_and_removes_none(tmp_path: Path) -> None:
    folder, now = BackupFolder(tmp_path), datetime.now(UTC)
    folder.create()
    kept = create_backup(folder, now - timedelta(days=2))
    settings = BackupServiceSettings(database="host=127.0.0.1 port=1", backups=tmp_path)
    due = create_if_due(settings, folder, settings.database.get_secret_value(), now=now)
    assert now < due < now + timedelta(hours=1)
    assert kept.exists()


def test_an_archive_contains_later_segments_and_the_target_time(tmp_path: Path) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    folder = BackupFolder(tmp_path)
    folder.create()
    create_backup(folder, now)
    # As in a cluster that was restored to a moment before.
    (folder.backups()[0].cluster / "postgresql.auto.conf").write_text("recovery_target_time = '2020-01-01'\n")
    for name in ("000000010000000000000001", "000000010000000000000003.partial", "00000002.history"):
        (folder.wal / name).touch()
    os.truncate(folder.wal / "000000010000000000000003.partial", 2**24)
    (folder.wal / "000000010000000000000004.partial").touch()  # of a full disk
    for moment, target in ((None, ""), (now, now.isoformat(" "))):
        output = io.BytesIO()
        write_archive(folder, moment, output)
        output.seek(0)
        with tarfile.open(fileobj=output) as archive:
            names = archive.getnames()
            configured = archive.extractfile("postgresql.auto.conf")
            assert configured is not None
            lines = configured.read().decode().splitlines()
        assert {"recovery.signal", "pg_wal/000000010000000000000002"} < {*names}
        assert [name for name in names if name.startswith("restored-wal/")] == [
            "restored-wal/000000010000000000000003",
            "restored-wal/00000002.history",
        ]
        assert [line for line in lines if "target_time" in line][-1] == f"recovery_target_time = '{target}'"
    with pytest.raises(LauncherError, match="after that moment"):
        write_archive(folder, now - timedelta(days=1), io.BytesIO())


@pytest.mark.parametrize(
    ("settings", "reported"),
    [
        ({}, "FLEETLOG_BACKUPS: Field required"),
        ({"FLEETLOG_BACKUPS": "/nowhere"}, "restore: /nowhere contains no backup"),
    ],
)
def test_a_missing_backup_is_reported_in_one_line(settings: dict[str, str], reported: str) -> None:
    command = [*PYTHON, "ops.launcher.backups.archive"]
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{reported}\n")


def test_the_newest_log_and_its_seals_are_restored(
    tmp_path: Path,
) -> None:
    now = datetime.now(UTC)
    with pytest.raises(LauncherError, match="contains no backup"):
        latest_below(tmp_path)
    for name, age in (("former", 2), ("present", 1)):
        create_backup(BackupFolder(tmp_path / name), now - timedelta(days=age))
    (tmp_path / "empty").mkdir()
    folder = latest_below(tmp_path)
    assert folder.path == tmp_path / "present"
    (backup,) = folder.backups()
    kept = backup.path / "audit" / "seals"
    kept.mkdir(parents=True)
    (kept / "hashes").write_bytes(b"a")
    write_archive(folder, None, io.BytesIO(), tmp_path / "seals")
    assert (tmp_path / "seals" / "hashes").read_bytes() == b"a"
    refused = io.BytesIO()
    with pytest.raises(LauncherError, match="is not empty"):
        write_archive(folder, None, refused, tmp_path / "seals")
    assert refused.getvalue() == b""


def test_an_interrupted_archive_is_not_complete(tmp_path: Path) -> None:
    """ops/restore unpacks it in a pipeline, which does not show how this command ended."""
    folder = BackupFolder(tmp_path)
    folder.create()
    kept = create_backup(folder, datetime.now(UTC)).joinpath("audit", "seals")
    kept.mkdir(parents=True)
    (kept / "hashes").symlink_to("nowhere")
    output = io.BytesIO()
    with pytest.raises(OSError, match="seals/hashes"):
        write_archive(folder, None, output, tmp_path / "seals")
    output.seek(0)
    with tarfile.open(fileobj=output, mode="r|") as archive:
        names = [member.name for member in archive]
    assert "postgresql.auto.conf" in names
    assert "recovery.signal" not in names


def test_remains_of_a_full_disk_and_an_interruption_are_removed(tmp_path: Path) -> None:
    folder, now = BackupFolder(tmp_path), datetime.now(UTC)
    folder.create()
    whole = [create_backup(folder, now), folder.wal / "000000010000000000000003.partial"]
    whole[1].touch()
    os.truncate(whole[1], 2**24)
    short = folder.wal / "000000010000000000000004.partial"
    short.write_bytes(bytes(1000))
    unfinished = create_backup(folder, now - timedelta(days=1))
    unfinished = unfinished.rename(f"{unfinished}.unfinished")
    folder.remove_short()
    folder.remove_unfinished()
    assert not short.exists()
    assert not unfinished.exists()
    assert all(path.exists() for path in whole)


def test_the_error_of_a_program_is_reported_not_its_last_line() -> None:
    script = "echo 'pg_basebackup: error: No space left' >&2; echo 'pg_basebackup: removing' >&2; exit 1"
    with pytest.raises(LauncherError, match=r"^pg_basebackup: error: No space left$"):
        run_client(["/bin/sh", "-c", script], {})


@pytest.mark.integration
def test_streaming_restarts_after_the_server_has_removed_segments(database: Database, tmp_path: Path) -> None:
    folder, reported = BackupFolder(tmp_path), list[str]()
    folder.create()
    binaries, environment = find_binaries(server_account()), client_environment(database.owner)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        ((former,),) = connection.execute(CURRENT).fetchall()
        (folder.wal / former).touch()
        os.truncate(folder.wal / former, 2**24)
        try:
            assert prepare_slot(database.owner, folder, reported.append)
            connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
            written = [former]
            for _ in range(50):
                connection.execute("SELECT pg_logical_emit_message(false, 'a', 'b'), pg_switch_wal()")
                connection.execute("CHECKPOINT")
                written += [name for (name,) in connection.execute(CURRENT)]
                ((oldest,),) = connection.execute(OLDEST).fetchall()
                if oldest > written[1]:
                    break
            connection.execute("SELECT pg_create_physical_replication_slot(%s, true)", [SLOT])
            command = receiver_command(binaries, folder)
            refused = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, timeout=60
            )
            assert "has already been removed" in refused.stderr
            assert not prepare_slot(database.owner, folder, reported.append)
            assert "the stream has a gap" in reported[-1]
            assert prepare_slot(database.owner, folder, reported.append)  # reported once
            streaming = subprocess.Popen(command, env=environment)
            try:
                wait_for(lambda: any(folder.wal.glob("*.partial")) or streaming.poll() is not None)
                assert streaming.poll() is None
            finally:
                streaming.terminate()
                streaming.wait()
        finally:
            connection.execute(DROP, [SLOT])
    streamed = [path for path, _ in folder.streamed(0)]
    assert folder.wal / f"until-{former}" / former in streamed
    assert has_gap([folder.wal], first=segment_number(Path(former)) or 0)


CURRENT = "SELECT pg_walfile_name(pg_current_wal_lsn())"
OLDEST = "SELECT min(name) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'"
DROP = "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s"
