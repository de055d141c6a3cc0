"""Witnesses store published checkpoints and return the last one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from projections_testing.http_address import http_address
from projections_testing.sealed_data import KEY, note_of

from ops.testing.sealed_logs import OTHER_KEY
from projections.failures import ProjectionStopped
from projections.workers.sealing.settings import require_witnesses
from projections.workers.sealing.witnesses import FolderWitness, HttpWitness, Witness, WitnessAway


@pytest.fixture(params=["folder", "http"])
def witness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Witness]:
    if request.param == "folder":
        (tmp_path / "witness").mkdir()
        yield FolderWitness(tmp_path / "witness")
    else:
        with http_address() as kept:
            yield HttpWitness(kept.address)


def test_witness_returns_the_last_published_note(witness: Witness) -> None:
    assert witness.last(KEY.verifying_key) is None
    witness.publish([note_of(3), note_of(5, 3)], KEY.verifying_key)
    assert witness.last(KEY.verifying_key) == note_of(5, 3)
    witness.publish([note_of(4, 3)], KEY.verifying_key)  # after a restart of sealing
    assert witness.last(KEY.verifying_key) == note_of(4, 3)
    with pytest.raises(WitnessAway, match="no checkpoint of this instance: not signed by fleetlog"):
        witness.last(OTHER_KEY.verifying_key)


def test_folder_witness_keeps_every_note(tmp_path: Path) -> None:
    FolderWitness(tmp_path).publish([note_of(3), note_of(5, 3), note_of(5)], KEY.verifying_key)
    texts = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert texts == {
        f"{3:019}.note": note_of(3),
        f"{5:019}.note": note_of(5, 3),
        f"{5:019}-2.note": note_of(5),
        "last.note": note_of(5),
    }


def test_unmounted_folder_is_away_and_not_created(tmp_path: Path) -> None:
    witness = FolderWitness(tmp_path / "gone")
    with pytest.raises(WitnessAway, match="FileNotFoundError"):
        witness.last(KEY.verifying_key)
    with pytest.raises(WitnessAway, match="FileNotFoundError"):
        witness.publish([note_of(3)], KEY.verifying_key)
    assert not (tmp_path / "gone").exists()


def test_unreachable_http_witness_is_away_without_showing_its_password() -> None:
    with http_address() as kept:
        witness = HttpWitness(kept.address)
        kept.bodies, kept.status = [b""], 500
        with pytest.raises(WitnessAway, match="answers 500"):
            witness.last(KEY.verifying_key)
        with pytest.raises(WitnessAway, match="answers 500"):
            witness.publish([note_of(3)], KEY.verifying_key)
        kept.bodies, kept.status = [b"x" * 2_000_000], 200
        with pytest.raises(WitnessAway, match="answers too much"):
            witness.last(KEY.verifying_key)
        assert "password" not in witness.name
    with pytest.raises(WitnessAway, match="ConnectError"):
        witness.last(KEY.verifying_key)


def test_settings_name_witnesses_of_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLOG_KAFKA_SERVERS", "127.0.0.1:1")
    monkeypatch.setenv("FLEETLOG_WITNESSES", "/a/folder, https://audit.example/last kafka:")
    names = [one.name for one in require_witnesses()]
    assert names == ["/a/folder", "https://audit.example/last", "kafka:fleetlog.checkpoints.v1"]
    for setting in ("relative", "ftp://host/"):
        monkeypatch.setenv("FLEETLOG_WITNESSES", setting)
        with pytest.raises(ProjectionStopped, match="FLEETLOG_WITNESSES: a witness is"):
            require_witnesses()
