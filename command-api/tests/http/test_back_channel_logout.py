"""The identity provider's notification of sign-outs."""

import time
from urllib.parse import urlencode

import httpx
import psycopg
import pytest

from ops.testing.bad_tokens import CORPUS
from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.logout_tokens import BACK_CHANNEL_LOGOUT as PATH
from ops.testing.logout_tokens import logout_token
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

HORSE = "/api/v1/horses/HRS-none"
FORM = "application/x-www-form-urlencoded"
Answer = httpx.Response


async def status_of(client: httpx.AsyncClient, token: str) -> int:
    return (await client.delete(HORSE, headers={"Authorization": f"Bearer {token}"})).status_code


async def become_refused(client: httpx.AsyncClient, token: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while await status_of(client, token) != 401:
        assert time.monotonic() < deadline


def revocations(database: Database) -> list[tuple[object, ...]]:
    with psycopg.connect(database.command) as connection:
        return connection.execute(
            "SELECT subject, session, origin FROM sign_in.revocations ORDER BY number"
        ).fetchall()


async def test_logout_token_revokes_access_tokens(
    client_on_postgres: httpx.AsyncClient, issuer: TokenIssuer, module_database: Database
) -> None:
    ended, other = (issuer.token(sub="dev|mei", sid=sid) for sid in ("S1", "S2"))
    form = {"logout_token": logout_token(issuer, sub="dev|mei", sid="S1"), "more": "1"}
    assert [await status_of(client_on_postgres, token) for token in (ended, other)] == [404, 404]

    for _ in range(3):  # retries change nothing
        answer = await client_on_postgres.post(PATH, data=form, headers={"Authorization": ""})
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["cache-control"] == "no-store"

    await become_refused(client_on_postgres, ended)
    assert await status_of(client_on_postgres, other) == 404
    assert revocations(module_database) == [("dev|mei", "S1", "provider")]

    everywhere = {"logout_token": logout_token(issuer, sub="dev|mei", sid=TokenIssuer.DROP)}
    assert (await client_on_postgres.post(PATH, data=everywhere)).status_code == 200
    await become_refused(client_on_postgres, other)
    later = issuer.token(sub="dev|mei", sid="S3", iat=issuer.claims()["iat"] + 2)
    assert await status_of(client_on_postgres, later) == 404


def assert_refused(answer: Answer) -> None:
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"] == "invalid_request"
    assert answer.json()["type"] == "urn:fleetlog:problem:invalid-request"
    assert answer.headers["cache-control"] == "no-store"


async def test_invalid_logout_token_is_refused(
    client_on_postgres: httpx.AsyncClient, issuer: TokenIssuer, module_database: Database
) -> None:
    before = revocations(module_database)
    garbage = ["", " ", "a", "a.b.c", "..", "\0", "é", "A" * 9000, issuer.token(), issuer.token(sid="S1")]
    for token in (*garbage, *(bad.build(issuer) for bad in CORPUS[::10])):
        form = urlencode({"logout_token": token}, errors="replace")
        answer = await client_on_postgres.post(PATH, content=form, headers={"Content-Type": FORM})
        assert_refused(answer)
        assert len(token) < 5 or token not in answer.text
    assert revocations(module_database) == before


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        (FORM, ""),
        (FORM, "logout_token"),
        (FORM, "token=TOKEN"),
        (FORM, "logout_token=TOKEN&logout_token=TOKEN"),
        (FORM, "&".join(f"a{number}=1" for number in range(20)) + "&logout_token=TOKEN"),
        (FORM, "logout_token=TOKEN&x=%ff"),
        (FORM, "logout_token=TOKEN&x=\xff"),
        ("application/json", '{"logout_token": "TOKEN"}'),
        ("text/plain", "logout_token=TOKEN"),
        ("", "logout_token=TOKEN"),
    ],
)
async def test_malformed_form_is_refused(
    client: httpx.AsyncClient, issuer: TokenIssuer, kind: str, form: str
) -> None:
    content = form.replace("TOKEN", logout_token(issuer)).encode("latin-1")
    assert_refused(await client.post(PATH, content=content, headers={"Content-Type": kind}))


async def test_a_body_that_is_too_long_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post(PATH, data={"logout_token": "A" * 20_000})
    assert (answer.status_code, answer.json()["type"]) == (413, "urn:fleetlog:problem:content-too-large")
