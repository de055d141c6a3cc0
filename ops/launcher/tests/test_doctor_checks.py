"""The doctor's checks of a machine and its network, each made to fail once."""

import asyncio
import json
import os
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import psutil
import pytest

from ops.base.encryption.keys import Key
from ops.base.encryption.sqlite import FILE_NAME, local_store
from ops.launcher.backups.folder import MANIFEST, BackupFolder
from ops.launcher.commands.secrets import PASSWORDS, make_secrets
from ops.launcher.doctor.checks.files import private_files, secrets_folder
from ops.launcher.doctor.checks.host import clock, disk
from ops.launcher.doctor.checks.leftovers import leftovers
from ops.launcher.doctor.checks.network import (
    certificates,
    gateway,
    provider_keys,
    service,
    services_by_name,
)
from ops.launcher.doctor.checks.stores import backups, key_backups, keys, no_backups
from ops.launcher.doctor.commands import IN_CONTAINERS, on_machine
from ops.launcher.doctor.findings import Finding, Findings, Level, warning, well, worst, wrong
from ops.launcher.doctor.runner import as_json, as_text, examine
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import InstanceRecord, ProcessRecord
from ops.launcher.instance.secrets import ensure_key_encryption_key
from ops.launcher.keys.inventory import KeyInventory, key_settings, take_inventory
from ops.launcher.processes.ports import free_port
from ops.testing.backups import create_backup
from ops.testing.certificates import self_signed
from ops.testing.company_provider import CompanyProvider
from ops.testing.conditions import wait_for
from ops.testing.findings import found
from ops.testing.gateway import Handler, http_server
from ops.testing.key_store_locations import create_local_store

COMMANDS = IN_CONTAINERS


@contextmanager
def answering(answers: Mapping[str, tuple[int, object]]) -> Iterator[str]:
    """Run a server that answers some paths with JSON, and yield its address."""

    class Answers(Handler):
        def do_GET(self) -> None:  # noqa: N802 - the name that the base class calls
            status, document = answers.get(self.path, (404, None))
            self.send_response(status)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

    with http_server(Answers) as port:
        yield f"http://127.0.0.1:{port}"


def nowhere() -> str:
    return f"http://127.0.0.1:{free_port()}"


def test_a_hanging_or_failing_check_does_not_affect_the_others() -> None:
    over = threading.Event()

    def hang() -> Findings:
        over.wait()
        return []

    def fail() -> Findings:
        raise RuntimeError("secret")

    try:
        findings = examine({"hanging": hang, "failing": fail, "good": lambda: [well("yes")]}, seconds=0.5)
    finally:
        over.set()
    late, failed, good = findings
    assert (late.check, late.level) == ("hanging", "warning")
    assert "0.5 s" in late.what
    assert (failed.check, failed.level) == ("failing", "warning")
    assert "RuntimeError" in failed.what
    assert "secret" not in failed.what
    assert good == Finding("well", "yes", (), "good")


def test_findings_are_printed_worst_first_with_commands_and_as_json() -> None:
    findings = [well("fine"), wrong("bad", "fix it"), warning("soon", "look at it")]
    lines = as_text(findings).splitlines()
    assert [line.split()[0] for line in lines if line and not line.startswith(" ")] == [
        "WRONG", "TO", "WELL", "1",
    ]  # fmt: skip
    assert [line.strip() for line in lines if "$" in line] == ["$ fix it", "$ look at it"]
    document = json.loads(as_json(findings))
    assert document["state"] == "wrong"
    assert [(each["level"], each["commands"]) for each in document["findings"]] == [
        ("well", []), ("wrong", ["fix it"]), ("warning", ["look at it"]),
    ]  # fmt: skip


def test_a_full_disk_and_a_filling_disk_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    found(disk([folder], little=0.0, least=0.0), "well")
    assert "is left" in found(disk([folder], little=2.0, least=0.0), "warning").what
    assert "services that cannot write stop" in found(disk([folder], least=2.0), "wrong").what


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_a_full_small_file_system_is_found(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", tmp_path], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mount is not permitted")
    try:
        found(disk([tmp_path]), "well")
        (tmp_path / "large").write_bytes(bytes(250_000))
        assert str(tmp_path) in found(disk([tmp_path]), "wrong").what
        (tmp_path / "large").unlink()
        subprocess.run(["mount", "-o", "remount,ro", tmp_path], check=True)
        assert "read-only" in found(disk([tmp_path]), "wrong").what
        found(disk([tmp_path], for_reading=True), "well")  # as in the doctor's container: compose.yaml
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_clock_set_back_is_found(tmp_path: Path) -> None:
    assert worst(list(clock([tmp_path]))) != "wrong"
    (tmp_path / "running.json").touch()
    later = time.time() + 3600
    os.utime(tmp_path / "running.json", (later, later))
    assert "set back" in found(clock([tmp_path]), "wrong").what


def test_a_secret_readable_by_others_is_found(tmp_path: Path) -> None:
    folder, cluster = DataFolder(tmp_path / "data").create(), tmp_path / "cluster"
    cluster.mkdir(mode=0o700)
    folder.secrets.touch(mode=0o600)
    found(private_files(folder, cluster), "well")
    folder.secrets.chmod(0o644)
    finding = found(private_files(folder, cluster), "wrong")
    assert "0644" in finding.what
    subprocess.run(finding.commands[0], shell=True, check=True)  # noqa: S602 - the command of the finding
    found(private_files(folder, cluster), "well")
    cluster.chmod(0o755)
    assert "PostgreSQL refuses" in found(private_files(folder, cluster), "wrong").what


@pytest.mark.parametrize(
    ("break_it", "what"),
    [
        (lambda folder: folder.chmod(0o755), "other users may enter"),
        (lambda folder: (folder / PASSWORDS[0]).unlink(), f"lacks {PASSWORDS[0]}"),
        (lambda folder: (folder / PASSWORDS[0]).write_text(""), "is empty"),
        (lambda folder: (folder / PASSWORDS[0]).chmod(0o600), "containers may not read"),
        (
            lambda folder: ((folder / PASSWORDS[0]).unlink(), (folder / PASSWORDS[0]).mkdir()),
            "is a folder, created by a container engine",
        ),
    ],
)
def test_missing_or_unreadable_secrets_are_found(
    tmp_path: Path, break_it: Callable[[Path], object], what: str
) -> None:
    folder = tmp_path / "secrets"
    make_secrets(folder)
    found(secrets_folder(folder, PASSWORDS, "./fleetlog secrets"), "well")
    break_it(folder)
    assert what in found(secrets_folder(folder, PASSWORDS, "./fleetlog secrets"), "wrong").what


@contextmanager
def left_running(*command: str) -> Iterator[psutil.Process]:
    """Run an orphaned process, and end it afterwards."""
    with subprocess.Popen(command) as process:
        try:
            running = psutil.Process(process.pid)
            wait_for(running.cmdline)  # empty until the program has been executed
            yield running
        finally:
            process.kill()


def test_remains_of_a_killed_launcher_are_found(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data").create()
    cluster = folder.path / "postgres" / "cluster"
    found(leftovers(folder, cluster), "well")
    with left_running("sleep", "600") as process:
        record = ProcessRecord(process.pid, process.create_time(), "sleep", 1, None, "ready")
        InstanceRecord(address="", environments={}, processes={"gateway": record}).save(folder)
        finding = found(leftovers(folder, cluster), "warning")
    assert str(process.pid) in finding.what
    assert finding.commands == (on_machine(folder).stop,)
    found(leftovers(folder, cluster), "well")
    cluster.mkdir(parents=True)
    (cluster / "postmaster.pid").write_text(f"{os.getpid()}\n")
    assert "names an unrelated process" in found(leftovers(folder, cluster), "warning").what
    (cluster / "postmaster.pid").unlink()
    (cluster.parent / "unfinished").mkdir()
    assert "unfinished" in found(leftovers(folder, cluster), "warning").what


def test_readable_lost_and_foreign_keys_are_found(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data").create()
    look = partial(keys, key_settings(folder.keys), None, "ls", private=True)
    assert "there is no key store" in found(look(), "wrong").what
    create_local_store(folder.keys)
    assert "the store answers" in found(look(), "well").what
    found(keys(key_settings(None), None, "ls", private=True), "well")
    epoch = folder.keys / "epoch-1.key"
    epoch.chmod(0o640)
    assert found(look(), "wrong").commands == (f"chmod go= {epoch}",)
    found(keys(key_settings(folder.keys), None, "ls", private=False), "well")
    epoch.chmod(0o600)
    for damaged, reason in ((b"", "is empty"), (b"no database" * 1000, "is not a database")):
        content = (folder.keys / FILE_NAME).read_bytes()
        (folder.keys / FILE_NAME).write_bytes(damaged)
        assert reason in found(look(), "wrong").what
        (folder.keys / FILE_NAME).write_bytes(content)
    epoch.rename(tmp_path / "elsewhere")
    assert "holds no key-encryption key" in found(look(), "wrong").what
    with pytest.raises(LauncherError, match="holds no key-encryption key"):
        ensure_key_encryption_key(folder)  # a new key would hide the loss
    assert not epoch.exists()


def test_existing_erased_and_unknown_keys_are_counted(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data").create()
    create_local_store(folder.keys)
    settings = key_settings(folder.keys)
    with closing(local_store(folder.keys)) as store:
        kept, erased = asyncio.run(store.issue(2))
        asyncio.run(store.erase([erased.id]))
    other = Key.new().id
    assert take_inventory({kept.id: 3, erased.id: 2, other: 1}, settings) == KeyInventory(
        3, 6, 1, frozenset({other}), 1
    )
    assert take_inventory({kept.id: 3}, key_settings(None)) == KeyInventory(1, 3, 0, frozenset({kept.id}), 3)


def test_missing_old_unfinished_and_incomplete_backups_are_found(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    found(no_backups(is_production=False, how="./fleetlog up --backups FOLDER"), "well")
    found(no_backups(is_production=True, how="./fleetlog up --backups FOLDER"), "warning")
    assert "contains no backup" in found(backups(tmp_path, COMMANDS), "wrong").what
    path = create_backup(BackupFolder(tmp_path), now - timedelta(hours=3))
    assert "3 h old" in found(backups(tmp_path, COMMANDS, now=now), "well").what
    assert "3 days old" in found(backups(tmp_path, COMMANDS, now=now + timedelta(days=3)), "warning").what
    left = tmp_path / "backup-20200101T000000Z.unfinished"
    left.mkdir()
    found(backups(tmp_path, COMMANDS, now=now), "well")
    os.utime(left, (0, 0))
    assert "unfinished" in found(backups(tmp_path, COMMANDS, now=now), "warning").what
    (tmp_path / "wal").mkdir()
    (tmp_path / "wal" / "000000010000000000000004").touch()
    assert "gap" in found(backups(tmp_path, COMMANDS, now=now), "wrong").what
    (path / MANIFEST).write_text("{}")
    assert "not a complete backup" in found(backups(tmp_path, COMMANDS, now=now), "wrong").what


def test_missing_and_old_backups_of_keys_are_found(tmp_path: Path) -> None:
    assert "contains no backup of the keys" in found(key_backups(tmp_path, COMMANDS), "wrong").what
    last = tmp_path / "keys-20261126T110203123456Z.sqlite"
    last.touch()
    assert "0 h old, the last of 1" in found(key_backups(tmp_path, COMMANDS), "well").what
    os.utime(last, (time.time() - 7200,) * 2)
    old = found(key_backups(tmp_path, COMMANDS), "warning")
    assert (old.what, old.commands) == (f"{last.name} is 2 h old, the last of 1", (COMMANDS.key_backup,))


def test_a_provider_that_does_not_answer_or_has_no_keys_is_found() -> None:
    with answering({"/keys": (200, {"keys": [{}]}), "/none": (200, {"keys": []})}) as address:
        assert "1 signing keys" in found(provider_keys(f"{address}/keys", address), "well").what
        found(provider_keys(f"{address}/none", address), "wrong")
        found(provider_keys(f"{address}/else", address), "wrong")
    found(provider_keys(nowhere(), "https://tenant.example/"), "wrong")
    with CompanyProvider(audience="apis", client_id="web", path="/realms/fleet") as company:
        assert "1 signing keys" in found(provider_keys(None, company.issuer), "well").what
        company.further = {"issuer": "https://other.example"}
        assert "metadata of another issuer" in found(provider_keys(None, company.issuer), "wrong").what
    assert "names no keys" in found(provider_keys(None, nowhere()), "wrong").what


@pytest.mark.parametrize(
    ("valid_days", "level", "what"),
    [(90, "well", "is valid until"), (3, "warning", "expires on"), (-1, "wrong", "expired on")],
)
def test_expiring_certificates_are_found(tmp_path: Path, *, valid_days: int, level: Level, what: str) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(self_signed(tmp_path, valid_days=valid_days))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            connection, _ = server.accept()
            with connection, tls.wrap_socket(connection, server_side=True) as secured:
                secured.recv(1)

        threading.Thread(target=accept, daemon=True).start()
        url = f"https://127.0.0.1:{server.getsockname()[1]}"
        assert what in found(certificates([url]), level).what
    found(certificates([nowhere().replace("http:", "https:")]), "warning")


def checks(**of_checks: object) -> dict[str, object]:
    return {"status": "…", "checks": of_checks}


@pytest.mark.parametrize(
    ("answer", "level", "what", "command"),
    [
        ((200, checks(log={"ok": True})), "well", "ready", None),
        ((503, checks(log={"ok": False, "detail": "away"})), "wrong", "log: away", "docker compose logs"),
        ((503, checks(log_stopped={"ok": False, "detail": "why"})), "wrong", "why", COMMANDS.accept),
        ((503, checks(sealing={"ok": False, "detail": "x"})), "wrong", "sealing: x", COMMANDS.verify),
        (
            (200, checks(relay={"ok": True, "degraded": True, "detail": {"error": "no broker"}})),
            "warning",
            "relay: no broker",
            "docker compose logs",
        ),
        (
            (200, checks(drivers={"ok": True, "degraded": True, "detail": {
                "quarantined": 1, "quarantined_streams": [{"originator_id": "driver:a"}],
            }})),
            "wrong",
            "1 quarantined (driver:a)",
            COMMANDS.projections,
        ),
        ((500, None), "wrong", "answers 500", "docker compose logs"),
    ],
)  # fmt: skip
def test_failing_readiness_checks_are_reported(
    answer: tuple[int, object], level: Level, what: str, command: str | None
) -> None:
    with answering({"/readyz": answer}) as address:
        finding = found(service("worker", f"{address}/readyz", COMMANDS), level)
    assert what in finding.what
    assert command is None or finding.commands[0].startswith(command)


def test_services_that_do_not_run_are_found() -> None:
    found(service("worker", nowhere(), COMMANDS), "wrong")
    with answering({"/readyz": (200, checks())}) as address:
        place = address.removeprefix("http://")
        found(services_by_name("worker", [place], COMMANDS), "well")
        gone = found(services_by_name("worker", [place, "worker.invalid:8000"], COMMANDS), "wrong")
    assert "the name worker.invalid does not exist" in gone.what


def test_a_misconfigured_gateway_is_found() -> None:
    good = {
        "/config.json": (200, {"auth": {"domain": "https://tenant.example"}}),
        "/api/v1/drivers": (401, None),
    }
    with answering(good) as address:
        found(gateway(address, "https://tenant.example/", COMMANDS), "well")
        assert "sign in at" in found(gateway(address, "https://other.example/", COMMANDS), "wrong").what
    with answering({**good, "/api/v1/drivers": (502, None)}) as address:
        assert "answers 502" in found(gateway(address, "https://tenant.example/", COMMANDS), "wrong").what
    with CompanyProvider(audience="apis", client_id="web", path="/realms/fleet") as company:
        openid = {**good, "/config.json": (200, company.config)}
        with answering(openid) as address:
            other = found(gateway(address, f"{company.issuer}/", COMMANDS), "wrong").what
            assert f"sign in at {company.issuer}, but" in other
            # Without a Content-Security-Policy that allows them.
            outside = found(gateway(address, company.issuer, COMMANDS), "warning").what
            assert f"names endpoints at {company.origin}, to which" in outside
    with answering({}) as address:
        assert "another program than the gateway" in found(gateway(address, "", COMMANDS), "wrong").what
    found(gateway(nowhere(), "", COMMANDS), "wrong")
