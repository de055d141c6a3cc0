"""The product behind another proxy that compresses and buffers answers, as CDNs do."""

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
from ops.testing.product.exchanges import PATHS, unwrap
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
  gzip on;
  gzip_proxied any;
  gzip_min_length 0;
  gzip_types application/json;
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
    """A client with cookies that uses the proxy and accepts gzip."""
    headers = {"Authorization": f"Bearer {stack.token('staff')}", "Accept-Encoding": "gzip"}
    with httpx.Client(base_url=proxy, headers=headers, timeout=PATIENCE_SECONDS, trust_env=False) as client:
        yield client


@pytest.fixture
def horse(browser: httpx.Client) -> str:
    """Address of a new horse."""
    answer = browser.post(PATHS["horse"], json=usual_body("horse").sent)
    assert answer.status_code == 201
    return answer.headers["location"]


def weakened_tag(browser: httpx.Client, address: str) -> str:
    """Read a record, and return its ETag, which the proxy has made weak."""
    answer = browser.get(address)
    assert (answer.status_code, answer.headers["content-encoding"]) == (200, "gzip")
    tag: str = answer.headers["etag"]
    assert tag.startswith('W/"')
    return tag


def test_records_can_be_edited(browser: httpx.Client, horse: str) -> None:
    for owner in ("First", "Second"):
        known = {"If-Match": weakened_tag(browser, horse)}
        answer = browser.put(horse, json=usual_body("horse", owner=owner).sent, headers=known)
        assert answer.status_code == 200
        assert unwrap("horse", browser.get(horse).json())["owner"] == owner


def test_conflicts_name_the_changes_since(browser: httpx.Client, horse: str) -> None:
    known = {"If-Match": weakened_tag(browser, horse)}
    browser.put(horse, json=usual_body("horse", owner="Another").sent)
    refused = browser.put(horse, json=usual_body("horse", owner="Late").sent, headers=known)
    assert refused.status_code == 412
    (change,) = refused.json()["changed_since"]
    assert (change["version"], change["fields"], change["actor"]["sub"]) == (2, ["owner"], "dev|asha")


def test_unchanged_records_and_lists_are_answered_with_304(browser: httpx.Client, horse: str) -> None:
    for address in (horse, PATHS["horse"]):
        tag = browser.get(address).headers["etag"]
        assert browser.get(address, headers={"If-None-Match": tag}).status_code == 304


def test_answers_with_an_etag_forbid_transformation(browser: httpx.Client, horse: str) -> None:
    body = usual_body("horse", owner="Another").sent
    answers = [
        browser.get(horse),
        browser.get(PATHS["horse"]),
        browser.get(f"{PATHS['horse']}?page=1"),
        browser.put(horse, json=body),
        browser.put(horse, json=body, headers={"If-Match": '"1"'}),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 412]
    for answer in answers:
        assert "etag" in answer.headers
        assert "no-transform" in answer.headers["cache-control"].split(", ")


def test_events_are_not_delayed(stack: Stack, browser: httpx.Client) -> None:
    headers = {"Authorization": f"Bearer {stack.token('analyst')}", "Accept": "text/event-stream"}
    with browser.stream("GET", "/api/v1/events?after=head", headers=headers) as answer:
        assert answer.status_code == 200
        assert browser.post(PATHS["horse"], json=usual_body("horse").sent).status_code == 201
        assert any(line.startswith("data:") for line in islice(answer.iter_lines(), 10))
