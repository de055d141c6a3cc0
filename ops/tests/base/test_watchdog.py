"""A process whose event loop stands still is ended, whatever holds it up, and says where it was."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from ops.base import failpoints
from ops.launcher.instance.record import PartRecord
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.supervisor import Supervisor
from ops.launcher.services import DATABASE_SERVICES, service_part
from ops.testing.postgres import Database
from ops.testing.service_process import service_environment
from ops.testing.token_issuer import TokenIssuer
from ops.testing.waiting import wait_until

PROGRAM = """
import asyncio, re, sys, threading, time
from ops.base.watchdog import watched

def hold_up(secret):
    {how}

async def main():
    async with watched(float(sys.argv[1])):
        await asyncio.sleep(0.1)
        hold_up("4111-1111")
        await asyncio.sleep(0)

asyncio.run(main())
print("it turned")
"""
HORSE = {"chassis_number": "MAT448061", "engine_number": "ISBE5921", "identifier": "Prima 4928"}


def run(how: str, seconds: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM.format(how=how), str(seconds)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "how",
    [
        "re.fullmatch('(a+)+b', 'a' * 64)",
        "time.sleep(3600)",
        "threading.Event().wait()",
    ],
    ids=["a regular expression", "sleep", "a deadlock"],
)
def test_whatever_holds_a_loop_up_its_process_ends_and_tells_where(how: str) -> None:
    ended = run(how, 0.5)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "Timeout" in ended.stderr
    assert "in hold_up" in ended.stderr
    assert "4111" not in ended.stderr


@pytest.mark.parametrize(("how", "seconds"), [("pass", 60), ("time.sleep(1)", 0)])
def test_a_loop_that_turns_or_is_not_watched_goes_on(how: str, seconds: float) -> None:
    assert run(how, seconds).stdout == "it turned\n"


@pytest.mark.integration
async def test_a_service_that_stands_still_is_started_again_and_answers(
    database: Database, tmp_path: Path
) -> None:
    (service,) = [one for one in DATABASE_SERVICES if one.name == "command-api"]
    said: list[str] = []
    records: dict[str, PartRecord] = {}
    supervisor = Supervisor(tmp_path, say=said.append, on_change=records.update)
    with TokenIssuer() as issuer:
        environment = {
            **service_environment(service.name, database, issuer),
            "FLEETLOG_PORT": str(free_port()),
            "FLEETLOG_STALL_SECONDS": "4",
            failpoints.SETTING: "command.answered:2:stall",
        }
        part = service_part(service, environment)
        headers = {"Authorization": f"Bearer {issuer.token()}"}
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{part.port}", headers=headers, trust_env=False, timeout=60
        ) as client:
            try:
                await supervisor.start([part])
                before = records[part.name].pid
                assert (await client.post("/api/v1/horses", json=HORSE)).status_code == 201
                with pytest.raises(httpx.HTTPError):
                    await client.post("/api/v1/horses", json=HORSE)
                await wait_until(lambda: f"{part.name} is back" in said)
                assert f"{part.name} ended with status 1; starting it again" in said[0]
                assert records[part.name].pid not in {0, before}
                assert (await client.post("/api/v1/horses", json=HORSE)).status_code == 201
            finally:
                await supervisor.stop()
    output = (tmp_path / f"{part.name}.log").read_text()
    assert "Timeout" in output
    assert "in reached" in output
    assert HORSE["chassis_number"] not in output
