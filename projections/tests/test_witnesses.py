"""Witnesses: told of every checkpoint, asked for the last one, and never waited for."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import eventually
from projections_testing.sealed_data import KEY, seal, sealed, sealing

from ops.base.tamper_evidence.checkpoints import Checkpoint
from ops.base.tamper_evidence.sealed_log import SealedLog
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from ops.testing.sealed_logs import OTHER_KEY, a_log, checkpoint_of
from projections.commands.verify import Wanted, verify
from projections.failures import ProjectionStopped
from projections.sealing.settings import require_witnesses
from projections.sealing.witnesses import FolderWitness, HttpWitness, Witness, WitnessAway, witnesses_of

pytestmark = pytest.mark.integration

ROWS = a_log(20)


@dataclass
class Kept:
    """What an address was told, and how it answers."""

    address: str = ""
    bodies: list[bytes] = field(default_factory=list)
    status: int = 200


@contextmanager
def http_address() -> Iterator[Kept]:
    """An address that keeps what is PUT to it."""
    kept = Kept()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(kept.status if kept.bodies else 404, kept.bodies[-1] if kept.bodies else b"")

        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if kept.status == 200:
                kept.bodies.append(body)
            self._answer(kept.status, b"")

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Be silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        kept.address = f"http://user:password@127.0.0.1:{server.server_port}/last"
        try:
            yield kept
        finally:
            server.shutdown()


def note(size: int, previous: int = 0) -> str:
    return checkpoint_of(ROWS[:size], previous=previous).signed(KEY)


@pytest.fixture(params=["folder", "http"])
def witness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Witness]:
    if request.param == "folder":
        (tmp_path / "witness").mkdir()
        yield FolderWitness(tmp_path / "witness")
    else:
        with http_address() as kept:
            yield HttpWitness(kept.address)


def test_it_remembers_the_last_note_that_it_was_told(witness: Witness) -> None:
    assert witness.last(KEY.verifying_key) is None
    witness.tell([note(3), note(5, 3)], KEY.verifying_key)
    assert witness.last(KEY.verifying_key) == note(5, 3)
    witness.tell([note(4, 3)], KEY.verifying_key)  # begun anew
    assert witness.last(KEY.verifying_key) == note(4, 3)
    with pytest.raises(WitnessAway, match="no checkpoint of this instance's: not signed by fleetlog"):
        witness.last(OTHER_KEY.verifying_key)


def test_a_folder_keeps_every_note(tmp_path: Path) -> None:
    FolderWitness(tmp_path).tell([note(3), note(5, 3), note(5)], KEY.verifying_key)
    texts = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert texts == {
        f"{3:019}.note": note(3),
        f"{5:019}.note": note(5, 3),
        f"{5:019}-2.note": note(5),
        "last.note": note(5),
    }


def test_a_folder_that_is_not_mounted_is_away_and_not_made(tmp_path: Path) -> None:
    witness = FolderWitness(tmp_path / "gone")
    with pytest.raises(WitnessAway, match="FileNotFoundError"):
        witness.last(KEY.verifying_key)
    with pytest.raises(WitnessAway, match="FileNotFoundError"):
        witness.tell([note(3)], KEY.verifying_key)
    assert not (tmp_path / "gone").exists()


def test_an_address_that_refuses_or_does_not_answer_is_away_and_its_password_is_not_told() -> None:
    with http_address() as kept:
        witness = HttpWitness(kept.address)
        kept.bodies, kept.status = [b""], 500
        with pytest.raises(WitnessAway, match="answers 500"):
            witness.last(KEY.verifying_key)
        with pytest.raises(WitnessAway, match="answers 500"):
            witness.tell([note(3)], KEY.verifying_key)
        kept.bodies, kept.status = [b"x" * 2_000_000], 200
        with pytest.raises(WitnessAway, match="answers too much"):
            witness.last(KEY.verifying_key)
        assert "password" not in witness.name
    with pytest.raises(WitnessAway, match="ConnectError"):
        witness.last(KEY.verifying_key)


def test_settings_name_witnesses_of_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLOG_KAFKA_SERVERS", "127.0.0.1:1")
    names = [one.name for one in witnesses_of("/a/folder, https://audit.example/last kafka:")]
    assert names == ["/a/folder", "https://audit.example/last", "kafka:fleetlog.checkpoints.v1"]
    for setting in ("relative", "ftp://host/"):
        monkeypatch.setenv("FLEETLOG_WITNESSES", setting)
        with pytest.raises(ProjectionStopped, match="FLEETLOG_WITNESSES: a witness is"):
            require_witnesses()


async def test_sealing_goes_on_without_a_witness_which_is_told_all_it_has_missed(
    fleet: Fleet, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seals, elsewhere = SealedLog(tmp_path / "seals"), tmp_path / "witness"
    witness = FolderWitness(elsewhere)
    for number in range(1, 9):
        fleet.register("driver", f"EMP-{number}")
    async with sealing(database.sealer, seals.folder, events=4, witnesses=[witness]) as (sealer,):
        await eventually(lambda: sealed(seals.folder) == 8)
        check = sealer.readiness()
        assert (check.ok, check.degraded) == (True, True)
        assert "is away: FileNotFoundError" in check.detail["error"]
        assert sample("fleetlog_witness_away", witness=witness.name) == 1
        await asyncio.to_thread(elsewhere.mkdir)
        await eventually(lambda: witness.last(KEY.verifying_key) == seals.note(8))
        await eventually(lambda: not sealer.readiness().degraded)
    assert sorted(path.name[:19] for path in elsewhere.glob("0*.note")) == [f"{n:019}" for n in (0, 4, 8)]
    assert sample("fleetlog_witness_agreed_timestamp_seconds", witness=witness.name) > 0
    elsewhere.rename(tmp_path / "unmounted")
    capsys.readouterr()
    assert await verify(database.sealer, seals, KEY, Wanted(witnesses=[witness])) == 1
    assert f"the witness {witness.name} cannot be asked: FileNotFoundError" in capsys.readouterr().out


async def test_a_witness_that_disagrees_while_sealing_goes_on_stops_it(
    fleet: Fleet, database: Database, tmp_path: Path
) -> None:
    with http_address() as kept:
        witness, folder = HttpWitness(kept.address), tmp_path / "seals"
        fleet.register("driver", "EMP-1")
        await seal(database.sealer, folder, every=1, up_to=1, witnesses=[witness])
        latest = SealedLog(folder).latest(KEY.verifying_key)
        assert latest is not None
        forked = Checkpoint(latest.origin, 9, latest.root, 1, latest.moment)
        async with sealing(database.sealer, folder, events=1, witnesses=[witness]) as (sealer,):
            await eventually(lambda: sealer.readiness().detail["position"] == 1)
            kept.bodies.append(forked.signed(KEY).encode())
            fleet.register("driver", "EMP-2")
            await eventually(lambda: not sealer.readiness().ok)
            assert "knows a checkpoint of position 9" in sealer.readiness().detail["error"]
