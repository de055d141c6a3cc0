"""Hostile requests are answered with a 4xx problem that echoes nothing."""

import json
import re

import httpx
import pytest
from command_api_testing.fleet import new_body, path_of

JSON = {"Content-Type": "application/json"}
HORSE = path_of("horse")


def horse_with_metadata(raw: bytes) -> bytes:
    return json.dumps(new_body("horse", metadata="HERE")).encode().replace(b'"HERE"', raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        "{}".encode("utf-16"),
        b"{} {}",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        horse_with_metadata(b'{"a": NaN}'),
        horse_with_metadata(b'{"a": -Infinity}'),
        horse_with_metadata(b'{"a": 1e999}'),
        horse_with_metadata(b'{"a": 9007199254740993}'),
        horse_with_metadata(b'{"a": ' + b"9" * 5000 + b"}"),
        horse_with_metadata(b'{"a": [1e20]}'),
        horse_with_metadata(b'{"a": -1.5e300}'),
        json.dumps(new_body("horse", created_at={"a": 1e20})).encode(),
        horse_with_metadata(b'{"a": "\\u0000"}'),
        horse_with_metadata(b'{"\\u0000": 1}'),
        horse_with_metadata(b'{"a": "\\ud800"}'),
        horse_with_metadata(b'{"a": 1, "a": 2}'),
        horse_with_metadata(b'{"a": "\x00"}'),
        horse_with_metadata(b'{"a": "\xed\xa0\x80"}'),
    ],
)
async def test_json_that_some_parsers_cannot_read_is_refused(client: httpx.AsyncClient, raw: bytes) -> None:
    answer = await client.post(HORSE, content=raw, headers=JSON)

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r"]


@pytest.mark.parametrize("escaped", [True, False])
async def test_control_characters_are_refused_with_their_path(
    client: httpx.AsyncClient, *, escaped: bool
) -> None:
    for control in CONTROLS:
        body = new_body("horse", identifier=f"a{control}b", metadata={"a": [{f"b{control}": control}]})
        raw = json.dumps(body, ensure_ascii=escaped).encode()
        answer = await client.post(HORSE, content=raw, headers=JSON)
        assert answer.status_code == 422
        assert [(error["field"], error["message"]) for error in answer.json()["validation_errors"]] == [
            (field, "Must not contain control characters")
            for field in ("identifier", "metadata.a.0", "metadata.a.0.b")
        ]


async def test_tabs_line_ends_and_backslashes_are_text(client: httpx.AsyncClient) -> None:
    for text in ("a\tb\nc\r\nd", "a\\u000b", "a\\b\\f", "\u00e9\u00c2"):
        body = new_body("horse", identifier=text, metadata={"a": text})
        answer = await client.post(HORSE, json=body)
        assert answer.status_code == 201
        assert (answer.json()["identifier"], answer.json()["metadata"]) == (text, {"a": text})


async def test_a_pair_of_surrogates_is_a_character(client: httpx.AsyncClient) -> None:
    raw = horse_with_metadata(b'{"a": "\\ud83d\\ude00"}')
    answer = await client.post(HORSE, content=raw, headers=JSON)

    assert answer.json()["metadata"]["a"] == "😀"


async def test_a_long_body_is_refused_whether_its_length_is_declared_or_not(
    client: httpx.AsyncClient,
) -> None:
    async def chunks() -> object:
        for _ in range(300):
            yield b" " * 1024

    declared = await client.post(HORSE, content=b" " * (256 * 1024 + 1), headers=JSON)
    streamed = await client.post(HORSE, content=chunks(), headers=JSON)  # type: ignore[arg-type]

    assert (declared.status_code, streamed.status_code) == (413, 413)


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "application/json; charset=latin1",
        "é",
    ],
)
async def test_another_content_type_is_refused(client: httpx.AsyncClient, content_type: str | None) -> None:
    headers = [] if content_type is None else [(b"Content-Type", content_type.encode())]
    answer = await client.post(HORSE, content=b"{}", headers=headers)

    assert answer.status_code == 415


async def test_nothing_submitted_is_echoed(client: httpx.AsyncClient) -> None:
    secret = "5555-4444-3333"
    body = {name: [secret] for name in new_body("driver")}
    answer = await client.post(path_of("driver"), json=body)

    assert answer.status_code == 422
    assert secret not in answer.text


@pytest.mark.parametrize("given", ["abc-1", "a b\t<script>", "Ravi.Kumar"])
async def test_request_id_is_the_servers_own(client: httpx.AsyncClient, given: str) -> None:
    answer = await client.post(HORSE, json={}, headers={"X-Request-Id": given})

    assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])
    assert answer.headers["x-request-id"] == answer.json()["request_id"]
    assert given not in answer.text
