"""The examples of webhook receivers accept what the notifier signs, once, and nothing else."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx
import pytest

from ops.launcher.frontend.node import NODE
from ops.launcher.paths import PROJECT
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for
from projections.notify.webhooks.signatures import signed_headers

EXAMPLES: Final = PROJECT / "projections/examples/http"
FORMER, SECRET, OTHER = (f"whsec_{letter * 32}" for letter in "abc")
BODY: Final = b'{"id": "log:7"}'


@pytest.fixture(params=["webhook.py", "webhook.mjs"])
def receiver(request: pytest.FixtureRequest) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The address of a running example, and its process."""
    program = sys.executable if request.param.endswith(".py") else NODE
    port = free_port()
    process = subprocess.Popen(
        [program, str(EXAMPLES / request.param), str(port)],
        env={**os.environ, "FLEETLOG_WEBHOOK_SECRET": SECRET},
        stdout=subprocess.PIPE,
        text=True,
    )
    address = f"http://127.0.0.1:{port}"

    def is_up() -> bool:
        try:
            return httpx.post(address, content=b"", trust_env=False).status_code == 401
        except httpx.TransportError:
            return False

    try:
        wait_for(is_up)
        yield address, process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_receiver_accepts_signed_messages_once(receiver: tuple[str, "subprocess.Popen[str]"]) -> None:
    address, process = receiver
    now = datetime.now(UTC)

    def post(moment: datetime, *secrets: str, body: bytes = BODY) -> int:
        headers = signed_headers("log:7", moment, BODY, secrets)
        return httpx.post(address, content=body, headers=headers, trust_env=False).status_code

    assert post(now, FORMER, OTHER) == 401
    assert post(now - timedelta(minutes=6), SECRET) == 401
    assert post(now, SECRET, body=b'{"id": "log:8"}') == 401
    assert post(now, FORMER, SECRET) == 204
    assert post(now, SECRET) == 204
    process.terminate()
    output, _ = process.communicate()
    assert output == BODY.decode() + "\n"
