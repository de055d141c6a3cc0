"""Authorization codes: for a minute, for one use, and only for who began."""

from datetime import timedelta

import pytest
import time_machine

from ops.testing.oauth_browser import OAuthBrowser, answer_parameters


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_request"),
        ({"code_verifier": "short"}, "invalid_request"),
        ({"code": "unknown"}, "invalid_grant"),
        ({"code": None}, "invalid_request"),
        ({"redirect_uri": "http://localhost:8080/elsewhere"}, "invalid_grant"),
        ({"redirect_uri": None}, "invalid_grant"),
        ({"client_id": "someone-else"}, "invalid_client"),
        ({"client_id": None}, "invalid_client"),
        ({"client_secret": "guess"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": "refresh_token"}, "invalid_grant"),
        ({"grant_type": None}, "unsupported_grant_type"),
        ({"grant_type": 'odd "type"'}, "invalid_request"),
        ({"code_verifier": "é" * 43}, "invalid_request"),
        ({"code_verifier": "v" * 3000}, "invalid_request"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_a_code_is_good_only_with_everything_it_was_asked_with(
    browser: OAuthBrowser, changes: dict[str, str | None], error: str
) -> None:
    answer = await browser.sign_in()

    refusal = await browser.exchange(answer, **changes)

    assert refusal.status_code == 400
    assert refusal.json()["error"] == error
    assert refusal.json()["error_description"]
    assert refusal.headers["cache-control"] == "no-store"
    assert (await browser.exchange(answer)).status_code == 200  # the code was not used up


async def test_a_code_is_good_once_and_a_second_use_revokes_what_the_first_gave(
    browser: OAuthBrowser,
) -> None:
    answer = await browser.sign_in()
    tokens = (await browser.exchange(answer)).json()

    replay = await browser.exchange(answer)

    assert (replay.status_code, replay.json()["error"]) == (400, "invalid_grant")
    refresh = await browser.refresh(tokens["refresh_token"])
    assert (refresh.status_code, refresh.json()["error"]) == (400, "invalid_grant")


async def test_a_code_is_good_for_a_minute(browser: OAuthBrowser) -> None:
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        early, late = await browser.sign_in(), await browser.sign_in(prompt="login")
        clock.shift(timedelta(seconds=59))
        assert (await browser.exchange(early)).status_code == 200
        clock.shift(timedelta(seconds=1))
        assert (await browser.exchange(late)).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": None},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": "s256"},
        {"code_challenge": "short"},
        {"code_challenge": "a" * 129},
        {"response_mode": "fragment"},
        {"response_mode": "form_post"},
        {"max_age": "soon"},
        {"prompt": "none login"},
    ],
    ids=lambda value: str(value)[:60],
)
async def test_a_request_without_what_we_require_goes_back_with_an_error(
    browser: OAuthBrowser, changes: dict[str, str | None]
) -> None:
    answer = await browser.authorize(**changes)

    assert answer.status_code == 302
    assert answer.headers["location"].startswith("http://localhost:8080?")
    assert answer_parameters(answer)["error"] == "invalid_request"
    assert answer_parameters(answer)["error_description"]
    assert answer_parameters(answer)["state"] == "the-state~"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code id_token"}, "unsupported_response_type"),
        ({"response_type": None}, "unsupported_response_type"),
        ({"audience": "https://other.example"}, "access_denied"),
    ],
    ids=str,
)
async def test_what_is_not_offered_is_refused_at_the_application(
    browser: OAuthBrowser, changes: dict[str, str | None], error: str
) -> None:
    assert answer_parameters(await browser.authorize(**changes))["error"] == error


async def test_the_token_endpoint_takes_json_too(browser: OAuthBrowser) -> None:
    code = answer_parameters(await browser.sign_in())["code"]
    body = {
        "grant_type": "authorization_code",
        "client_id": "fleetlog-web",
        "code": code,
        "code_verifier": browser.verifier,
        "redirect_uri": browser.origin,
    }

    assert (await browser.http.post("/oauth/token", json=body)).json()["access_token"]


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b""),
        ("application/json", b"[]"),
        ("application/json", b'"code"'),
        ("application/json", b'{"grant_type": 1}'),
        ("application/json", b'{"grant_type": ["refresh_token"]}'),
        ("application/json", b'{"grant_type": "\\ud800"}'),
        ("application/json", b"[" * 10_000),
        ("application/json", b"\xff"),
        ("application/x-www-form-urlencoded", b"\xff\xfe"),
        ("application/x-www-form-urlencoded", b"grant_type=%ff"),
        ("application/x-www-form-urlencoded", b"grant_type=refresh_token&grant_type=refresh_token"),
        ("application/x-www-form-urlencoded", b"a=b&" * 1000),
        ("application/x-www-form-urlencoded", b"code=" + b"c" * 20_000),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\n"),
        ("", b"\x00"),
    ],
)
async def test_a_body_that_cannot_be_read_is_a_bad_request(
    browser: OAuthBrowser, content_type: str, body: bytes
) -> None:
    for path in ("/oauth/token", "/oauth/revoke"):
        answer = await browser.http.post(path, content=body, headers={"Content-Type": content_type})
        assert answer.status_code == 400
        assert answer.json()["error"] in {"invalid_request", "unsupported_grant_type", "invalid_client"}
        assert answer.json()["error_description"]
