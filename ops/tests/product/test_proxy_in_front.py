"""The product behind another proxy that buffers answers, as CDNs do."""

import signal
import subprocess
from collections.abc import Iterator
from itertools import islice

import httpx
import pytest

from ops.launcher.gateway.program import nginx_command
from ops.launcher.processes.ports import free_port, is_free
from ops.testing.conditions import PATIENCE_SECONDS, wait_for
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

CONFIGURATION = """
daemon off;
master_process off;
pid nginx.pid;
error_log stderr crit;
events {{}}
http {{
  access_log off;
  client_body_temp_path .;
  proxy_temp_path .;
  fastcgi_temp_path .;
  uwsgi_temp_path .;
  scgi_temp_path .;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass {address};
      # The default before nginx 1.29.7, which delays data until a buffer is full.
      proxy_http_version 1.0;
      proxy_set_header Host $http_host;
    }}
  }}
}}
"""


@pytest.fixture(scope="module")
def proxy(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Origin of the proxy."""
    folder, port = tmp_path_factory.mktemp("proxy"), free_port()
    (folder / "nginx.conf").write_text(CONFIGURATION.format(port=port, address=stack.address))
    process = subprocess.Popen(nginx_command(folder), env={})
    wait_for(lambda: process.poll() is not None or not is_free(port))
    assert process.poll() is None
    yield f"http://127.0.0.1:{port}"
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=PATIENCE_SECONDS)


@pytest.fixture
def browser(stack: Stack, proxy: str) -> Iterator[httpx.Client]:
    """A client with cookies that uses the proxy."""
    headers = {"Authorization": f"Bearer {stack.token('staff')}"}
    with httpx.Client(base_url=proxy, headers=headers, timeout=PATIENCE_SECONDS, trust_env=False) as client:
        yield client


def test_events_are_not_delayed(stack: Stack, browser: httpx.Client) -> None:
    headers = {"Authorization": f"Bearer {stack.token('analyst')}", "Accept": "text/event-stream"}
    with browser.stream("GET", "/api/v1/events?after=head", headers=headers) as answer:
        assert answer.status_code == 200
        assert browser.post(PATHS["horse"], json=usual_body("horse").sent).status_code == 201
        assert any(line.startswith("data:") for line in islice(answer.iter_lines(), 10))
