"""`verify` and `export`: what they print, and what they say where it is not possible."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from projections_testing.fleet import Fleet
from projections_testing.processes import run
from projections_testing.sealed_data import KEY, seal

from ops.base.tamper_evidence.bundles import check_bundle
from ops.base.tamper_evidence.sealed_log import SealedLog
from ops.base.tamper_evidence.signed_notes import SigningKey
from ops.testing.postgres import Database
from projections.commands.audit import export
from projections.commands.verify import verify
from projections.failures import ProjectionStopped
from projections.sealing.settings import require_seals

pytestmark = pytest.mark.integration

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def seals(tmp_path: Path) -> SealedLog:
    return SealedLog(tmp_path / "seals")


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The key of an instance whose settings are in the environment."""
    path = tmp_path / "key.pem"
    key = Ed25519PrivateKey.generate()
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    monkeypatch.setenv("FLEETLOG_SEALS", str(tmp_path / "seals"))
    monkeypatch.setenv("FLEETLOG_SEALING_KEY", str(path))
    return path


async def test_a_history_with_all_its_lives_is_exported_as_far_as_it_is_sealed(
    fleet: Fleet, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    for entity in ("driver", "horse"):
        fleet.register(entity, "ONE")
    fleet.change("driver", "ONE", city="Mysuru")
    fleet.remove("driver", "ONE")
    fleet.register("driver", "ONE")
    fleet.remove("driver", "ONE")
    await seal(database.sealer, seals.folder, every=5, up_to=5)
    capsys.readouterr()
    assert await export(database.sealer, seals, KEY, "driver:ONE") == 0
    exported = capsys.readouterr()
    assert exported.err == "4 events of driver:ONE, 1 more are not sealed yet\n"
    _, rows = check_bundle(exported.out, KEY.verifying_key)
    assert [row.topic.partition(".")[2] for row in rows] == [
        "registered",
        "details_changed",
        "removed",
        "registered",
    ]
    assert json.loads(rows[1].state)["changes"]["city"]["to"] == "Mysuru"


async def test_an_id_must_name_one_history(fleet: Fleet, database: Database, seals: SealedLog) -> None:
    for entity in ("driver", "horse"):
        fleet.register(entity, "ONE")
    await seal(database.sealer, seals.folder, every=2, up_to=2)
    with pytest.raises(ProjectionStopped, match="say which one: driver:ONE, horse:ONE"):
        await export(database.sealer, seals, KEY, "ONE")
    with pytest.raises(ProjectionStopped, match="nothing of 'TWO' has been sealed"):
        await export(database.sealer, seals, KEY, "TWO")


async def test_what_was_tampered_with_is_not_exported(
    fleet: Fleet, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    fleet.register("driver", "ONE")
    fleet.change("driver", "ONE", city="Mysuru")
    await seal(database.sealer, seals.folder, every=2, up_to=2)
    fleet.connection.execute("UPDATE log.events SET topic = 'driver.removed' WHERE notification_id = 2")
    with pytest.raises(ProjectionStopped, match="position 2 is not what was sealed; audit verify tells more"):
        await export(database.sealer, seals, KEY, "ONE")
    (seals.folder / "hashes").write_bytes(b"")
    with pytest.raises(ProjectionStopped, match="the hashes end before position 2; audit verify tells more"):
        await export(database.sealer, seals, KEY, "ONE")


async def test_before_the_first_seal_there_is_nothing_to_verify_or_export(
    fleet: Fleet, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    fleet.register("driver", "ONE")
    with pytest.raises(ProjectionStopped, match="nothing has been sealed yet"):
        await export(database.sealer, seals, KEY, "ONE")
    assert await verify(database.sealer, seals, KEY) == 1
    assert capsys.readouterr().err == "Nothing has been sealed yet; the log has 1 events\n"


async def test_seals_that_cannot_be_trusted_are_told_of(
    fleet: Fleet, database: Database, seals: SealedLog, capsys: Capture
) -> None:
    fleet.register("driver", "ONE")
    another = SigningKey("fleetlog", Ed25519PrivateKey.generate())
    await seal(database.sealer, seals.folder, every=1, up_to=1, key=another)
    with pytest.raises(ProjectionStopped, match=r"cannot be trusted .not signed by fleetlog.; audit verify"):
        await export(database.sealer, seals, KEY, "ONE")
    (seals.folder / "checkpoints/any.note").touch()
    capsys.readouterr()
    assert await verify(database.sealer, seals, KEY) == 1
    said = "THE LOG IS NOT WHAT WAS SEALED: any.note is no checkpoint of ours\n"
    assert capsys.readouterr().out == said


def test_a_key_that_is_missing_or_none_is_told_of(key_file: Path) -> None:
    require_seals()
    key_file.write_text("no key")
    with pytest.raises(ProjectionStopped, match=r"key\.pem is no Ed25519 private key in PEM"):
        require_seals()
    key_file.unlink()
    with pytest.raises(ProjectionStopped, match=r"cannot read the key .*key\.pem: No such file or directory"):
        require_seals()


@pytest.mark.parametrize("words", [["verify"], ["export", "ONE"], ["run"]])
def test_what_is_not_possible_is_one_line_and_no_traceback(
    database: Database, key_file: Path, words: list[str]
) -> None:
    key_file.unlink()
    done = run(database, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Not possible: cannot read the key {key_file}: No such file or directory\n"
