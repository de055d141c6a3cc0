"""Backups and restores: contents, privacy, errors, and what remains after an error."""

import asyncio
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from ops.base.encryption.sqlite import FILE_NAME, local_store
from ops.launcher.backups.folder import BackupFolder
from ops.launcher.backups.metrics import write_backup_metrics
from ops.launcher.backups.restoration import Restored, restore
from ops.launcher.cli import main
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.secrets import ensure_key_encryption_key
from ops.launcher.keys.inventory import events_by_key
from ops.testing.folders import open_folder
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def backups(stack: Stack) -> Iterator[Path]:
    """One backup of the running instance, with some drivers."""
    with stack.http() as client:
        for number in range(3):
            body = {"id": f"EMP-BACKUP-{number}", **usual_body("driver").sent}
            client.post(PATHS["driver"], json=body).raise_for_status()
    with open_folder() as folder:
        done = stack.run("backup", "--to", str(folder / "backups"), "--metrics", str(folder))
        assert done.returncode == 0, done.stderr
        assert f"store a copy of {DataFolder(stack.data).keys} elsewhere" in done.stdout
        yield folder / "backups"


@pytest.fixture
def new() -> Iterator[Path]:
    """A data folder that does not exist yet."""
    with open_folder() as folder:
        yield folder / "data"


def restored(backups: Path, data: Path, moment: datetime | None = None, keys: Path | None = None) -> Restored:
    return restore(BackupFolder(backups), DataFolder(data), moment, keys)


def test_a_backup_contains_no_key_that_decrypts_it(stack: Stack, backups: Path) -> None:
    keys = DataFolder(stack.data).keys
    (epoch,) = keys.glob("epoch-*.key")
    with sqlite3.connect(keys / FILE_NAME) as connection:
        wrapped = [secret for (secret,) in connection.execute("SELECT secret FROM kept WHERE epoch > 0")]
    connection.close()
    assert wrapped
    secrets = [epoch.read_bytes().strip(), bytes.fromhex(epoch.read_text()), *wrapped]
    files = [path for path in backups.rglob("*") if path.is_file()]
    assert not [path for path in files if path.name.startswith(("epoch-", FILE_NAME))]
    for path in files:
        kept = path.read_bytes()
        assert not any(secret in kept for secret in secrets), path


def test_a_backup_of_keys_is_stored_apart_and_decrypts_the_restored_log(
    stack: Stack, backups: Path, new: Path, tmp_path: Path
) -> None:
    arguments = ("backup", "--to", str(backups.parent / "others"), "--keep", "1", "--keys")
    refused = stack.run(*arguments, str(backups.parent / "others" / "keys"))
    assert refused.returncode == 1
    assert "which these keys decrypt" in refused.stderr
    done = stack.run(*arguments, str(tmp_path / "copies"))
    assert done.returncode == 0, done.stderr
    (copy,) = (tmp_path / "copies").glob("keys-*.sqlite")
    (tmp_path / "keys").mkdir()
    for source, name in (
        (copy, FILE_NAME),
        *((key, key.name) for key in DataFolder(stack.data).keys.glob("*.key")),
    ):
        shutil.copy(source, tmp_path / "keys" / name)
    found = restored(backups, new, keys=tmp_path / "keys").keys
    assert found.keys >= 3
    assert not found.unknown


def test_a_folder_without_keys_is_refused_before_a_restore_starts(
    backups: Path, new: Path, tmp_path: Path
) -> None:
    with pytest.raises(LauncherError, match="does not contain the keys of an instance"):
        restored(backups, new, keys=tmp_path)
    assert not new.exists()


def test_a_restored_instance_uses_the_current_keys_in_place(
    stack: Stack, backups: Path, new: Path, tmp_path: Path
) -> None:
    keys = tmp_path / "keys"
    shutil.copytree(DataFolder(stack.data).keys, keys)
    with psycopg.connect(stack.owner_dsn) as connection:
        erased = max(events_by_key(connection))
    with closing(local_store(keys)) as store:
        asyncio.run(store.erase([erased]))
    found = restored(backups, new, keys=keys).keys
    assert found.keys >= 3
    assert found.events >= 3
    assert (found.unknown, found.erased) == (frozenset(), 1)
    assert DataFolder(new).create().keys == keys
    assert not (new / "keys").exists()
    shutil.rmtree(keys)
    with pytest.raises(LauncherError, match="restore your copy"):
        ensure_key_encryption_key(DataFolder(new).create())
    assert not keys.exists()


def test_a_private_backup_is_restored_and_accepted_before_a_start(
    backups: Path, new: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (backup,) = BackupFolder(backups).backups()
    private = [backups, backup.path, backup.path / "audit" / "sealing-key.pem", backup.path / "secrets.json"]
    assert {path.stat().st_mode & 0o077 for path in private} == {0}
    assert restored(backups, new).position >= backup.manifest.position
    assert not (new / "postgres" / "wal").exists()
    assert main(["restore", "accept", "--data", str(new)]) == 1  # without the keys
    assert "there is no key store" in capsys.readouterr().err
    assert main(["restore", "accept", "--keys-lost", "--data", str(new)]) == 0
    assert "continues after position" in capsys.readouterr().out
    assert main(["restore", "accept", "--data", str(new)]) == 1  # once is enough


def test_a_backup_writes_metrics(backups: Path) -> None:
    file = backups.parent / "fleetlog-backup.prom"
    assert file.stat().st_mode & 0o777 == 0o644  # node_exporter is another user
    output = {
        family.name: family.samples[0].value for family in text_string_to_metric_families(file.read_text())
    }
    (backup,) = BackupFolder(backups).backups()
    assert output["fleetlog_backup_finished_timestamp_seconds"] == backup.manifest.finished.timestamp()
    assert output["fleetlog_backup_size_bytes"] > 1_000_000


def test_a_backup_is_recorded_in_the_database(stack: Stack, backups: Path) -> None:
    (backup,) = BackupFolder(backups).backups()
    with psycopg.connect(stack.owner_dsn) as connection:
        recorded = connection.execute("SELECT finished_at, bytes, place FROM operations.backups").fetchall()
    assert (backup.manifest.finished, backup.size, str(backup.path)) in recorded


def test_a_missing_folder_of_metrics_is_reported(backups: Path) -> None:
    (backup,) = BackupFolder(backups).backups()
    with pytest.raises(
        LauncherError, match="the backup is complete, but its metrics could not be written: /nowhere"
    ):
        write_backup_metrics(Path("/nowhere"), backup.manifest, 1)


@pytest.mark.parametrize(
    ("moment", "output"),
    [
        (datetime(2020, 1, 1, tzinfo=UTC), "the first backup was finished at 20.*, after that moment"),
        (
            datetime.now(UTC) + timedelta(days=1),
            "the backups end before that moment: .*Omit --to-moment to restore all of it",
        ),
    ],
)
def test_a_moment_outside_the_backups_is_refused(
    backups: Path, new: Path, moment: datetime, output: str
) -> None:
    with pytest.raises(LauncherError, match=output):
        restored(backups, new, moment)
    assert not new.exists()


def test_a_restore_reports_a_gap_in_the_stream_and_events_without_keys(
    backups: Path, tmp_path: Path, new: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "backups"
    shutil.copytree(backups, copy)
    (copy / "wal" / "0000000100000000000000F0.partial").write_bytes(b"")
    assert main(["restore", str(copy), "--data", str(new)]) == 0
    printed, reported = capsys.readouterr()
    assert "WARNING: the stream has a gap" in reported
    sealed = re.search(r"WARNING: (\d+) of (\d+) encrypted events cannot be decrypted", printed)
    assert sealed is not None, printed
    assert sealed[1] == sealed[2] != "0"
    assert "restore again into another folder with --keys FOLDER" in printed


def test_old_backups_and_unneeded_segments_are_removed(backups: Path, tmp_path: Path) -> None:
    copy = tmp_path / "backups"
    shutil.copytree(backups, copy, ignore=shutil.ignore_patterns("base", "global"))  # nothing is restored
    (newest,) = BackupFolder(copy).backups()
    older = copy / "backup-20200101T000000Z"
    shutil.copytree(newest.path, older)
    manifest = newest.manifest.model_copy(update={"finished": datetime(2020, 1, 1, tzinfo=UTC)})
    (older / "manifest.json").write_text(manifest.model_dump_json())
    first = min(path.name for path in (newest.cluster / "pg_wal").glob("0*"))
    names = ["000000010000000000000000", first, f"{first}.partial", "00000002.history"]
    for name in names:
        (copy / "wal" / name).touch()
    (older / "cluster" / "backup_label").write_text(
        "START WAL LOCATION: 0/0 (file 000000010000000000000000)\n"
    )
    BackupFolder(copy).prune(2)
    assert sorted(path.name for path in (copy / "wal").iterdir()) == sorted(names)
    BackupFolder(copy).prune(1)
    assert [one.path for one in BackupFolder(copy).backups()] == [newest.path]
    assert sorted(path.name for path in (copy / "wal").iterdir()) == sorted(names[1:])


def test_backups_of_two_logs_are_not_mixed(backups: Path) -> None:
    folder = BackupFolder(backups)
    folder.require_log(folder.backups()[0].manifest.log_id)
    with pytest.raises(LauncherError, match="contains backups of another log"):
        folder.require_log("0" * 32)


def test_a_restore_into_a_folder_in_use_is_refused(stack: Stack, backups: Path) -> None:
    with pytest.raises(LauncherError, match="is not empty: restore into a new folder"):
        restored(backups, stack.data)


def test_an_incomplete_backup_is_refused(tmp_path: Path, new: Path) -> None:
    with pytest.raises(LauncherError, match="contains no complete backup"):
        restored(tmp_path, new)
    (tmp_path / "backup-20260101T000000Z").mkdir()
    with pytest.raises(LauncherError, match="is not a complete backup"):
        restored(tmp_path, new)


def test_a_damaged_backup_is_refused(backups: Path, tmp_path: Path, new: Path) -> None:
    copy = tmp_path / "backups"
    shutil.copytree(backups, copy)
    (damaged,) = copy.glob("*/cluster/global/pg_control")
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"!")
    with pytest.raises(LauncherError, match=r"checksum mismatch for file .*pg_control"):
        restored(copy, new)
    assert not new.exists()


def test_a_full_disk_is_reported_before_a_restore_starts(
    backups: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage(NamedTuple):
        free: int = 5_000_000

    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage())
    with pytest.raises(LauncherError, match=r"has 5 MB left; the restore needs [0-9]+ MB"):
        restored(backups, new)
    assert not new.exists()


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["backup"], "no folder given: use backup --to FOLDER"),
        (["restore", "accept"], "this log is not stopped: there is nothing to accept"),
        (["restore", "accept", "--data", "/nowhere"], "there is no instance in /nowhere"),
    ],
)
def test_impossible_commands_are_reported(
    stack: Stack, capsys: pytest.CaptureFixture[str], words: list[str], output: str
) -> None:
    assert main([words[0], "--data", str(stack.data), *words[1:]]) == 1
    assert output in capsys.readouterr().err


def test_a_moment_needs_a_time_zone(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["restore", "anything", "--to-moment", "2026-01-01T00:00:00"])
    assert "must have a time zone" in capsys.readouterr().err
