"""Requests that mean harm: open redirects, script injection, forged forms, other origins."""

from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ops.testing.oauth_browser import OAuthBrowser, hidden_fields

SCRIPT = "\"'><script>alert(1)</script>"
PARAMETERS = [
    *("client_id", "redirect_uri", "scope", "response_type"),
    *("state", "nonce", "prompt", "code_challenge"),
]


@pytest.mark.parametrize(
    "redirect_uri",
    [
        None,
        "",
        "http://evil.example",
        "http://localhost:8080.evil.example/",
        "http://localhost:80800/",
        "http://localhost:8080@evil.example/",
        "http://localhost:8080:80/",
        "http://user@localhost:8080/",
        "http://localhost/",
        "http://127.0.0.1:8080/",
        "https://localhost:8080/",
        "HTTP://LOCALHOST:8080/",
        "//localhost:8080/",
        "/relative",
        "javascript://localhost:8080/%0aalert(1)",
        "data:text/html,hi",
        "http://localhost:8080\\@evil.example/",
        "http://localhost:8080#@evil.example/",
        "http://localhost:8080/\r\nSet-Cookie: a=b",
        "http://localhost:8080/\x00",
        "http://localhost:8080/ space",
        "http://localhost:8080/é",
        f"http://localhost:8080/{SCRIPT}",
    ],
)
async def test_other_redirect_addresses_are_refused(browser: OAuthBrowser, redirect_uri: str | None) -> None:
    await browser.sign_in()  # so that nothing else would keep it from being sent
    answer = await browser.authorize(redirect_uri=redirect_uri)
    assert answer.status_code == 400
    assert "location" not in answer.headers


@pytest.mark.parametrize(
    "redirect_uri",
    ["http://localhost:8080", "http://localhost:8080/a/b", "http://localhost:5173/callback?a=b"],
)
async def test_pages_of_an_allowed_origin_are_redirect_targets(
    browser: OAuthBrowser, redirect_uri: str
) -> None:
    answer = await browser.sign_in(redirect_uri=redirect_uri)
    assert answer.headers["location"].startswith(redirect_uri)
    assert (await browser.exchange(answer, redirect_uri=redirect_uri)).status_code == 200


@pytest.mark.parametrize("name", PARAMETERS)
async def test_parameters_do_not_appear_in_pages(browser: OAuthBrowser, name: str) -> None:
    for prompt in ({}, {"prompt": "none"}):
        page = await browser.authorize(**{**prompt, name: SCRIPT})
        assert "<script>alert" not in page.text
        assert "'><script" not in page.text


async def test_unknown_parameters_are_harmless(browser: OAuthBrowser) -> None:
    page = await browser.authorize(ui_locales=SCRIPT)
    assert page.status_code == 200
    assert SCRIPT not in page.text
    assert (await browser.choose(page)).status_code == 302


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(PARAMETERS), value=st.text(st.characters(), max_size=40))
async def test_any_text_in_any_parameter_is_answered(browser: OAuthBrowser, name: str, value: str) -> None:
    query = urlencode({**browser.request(), name: value}, errors="surrogatepass")
    for answer in (
        await browser.http.get(f"/authorize?{query}"),
        await browser.http.get(f"/authorize?{query}&{query}"),
    ):
        assert answer.status_code in {200, 302, 400}
        assert answer.headers.get("location", "http://localhost:8080?").startswith("http://localhost:8080?")
    assert answer.status_code == 400  # each parameter is there twice


async def test_unknown_client_is_refused_on_an_error_page(browser: OAuthBrowser) -> None:
    answer = await browser.authorize(client_id="someone-else")
    assert (answer.status_code, answer.headers.get("location")) == (400, None)


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe",
        b"grant_type=%ff",
        b"grant_type=refresh_token&grant_type=refresh_token",
        b"a=b&" * 1000,
        b"code=" + b"c" * 20_000,
        b'{"grant_type": "refresh_token"}',
        b"\x00",
    ],
    ids=lambda body: str(body)[:40],
)
async def test_a_body_that_cannot_be_read_is_a_bad_request(browser: OAuthBrowser, body: bytes) -> None:
    answer = await browser.http.post("/oauth/token", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"] in {"invalid_request", "invalid_client"}
    headers = {"Origin": browser.origin}
    assert (await browser.http.post("/idp/login", content=body, headers=headers)).status_code == 400


# --- forged forms


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999", ""])
async def test_form_from_another_origin_is_refused(browser: OAuthBrowser, origin: str) -> None:
    page = await browser.authorize()
    browser.origin = origin
    answer = await browser.choose(page)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "changes",
    [{"request": ""}, {"request": "client_id=%ff"}, {"request": "a" * 20_000}],
    ids=lambda it: str(it)[:40],
)
async def test_altered_form_is_refused(browser: OAuthBrowser, changes: dict[str, str]) -> None:
    answer = await browser.choose(await browser.authorize(), **changes)
    assert answer.status_code == 400
    assert "set-cookie" not in answer.headers


async def test_form_does_not_make_a_bad_request_valid(browser: OAuthBrowser) -> None:
    page = await browser.authorize()
    request = hidden_fields(page.text)["request"].replace("localhost%3A8080", "evil.example")
    assert "evil.example" in request
    answer = await browser.choose(page, request=request)
    assert (answer.status_code, answer.headers.get("location")) == (400, None)
    stranger = await browser.choose(page, "dev|unknown")
    assert "error=access_denied" in stranger.headers["location"]
    assert "set-cookie" not in stranger.headers


async def test_the_login_page_cannot_be_framed_and_runs_no_script(browser: OAuthBrowser) -> None:
    policy = (await browser.authorize()).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert "form-action 'self' http://localhost:8080 http://localhost:5173" in policy


@pytest.mark.parametrize("cookie", ["", "guess", "é", "x" * 4000, '"; Path=/x', "a,b c"])
async def test_forged_session_is_ignored(browser: OAuthBrowser, cookie: str) -> None:
    headers = [(b"Cookie", f"fleetlog_idp_session={cookie}".encode())]
    answer = await browser.http.get("/authorize", params=browser.request(prompt="none"), headers=headers)
    assert "error=login_required" in answer.headers["location"]


# --- other origins


@pytest.mark.parametrize("origin", ["http://localhost:8080", "http://localhost:5173"])
async def test_scripts_of_allowed_origins_are_permitted(browser: OAuthBrowser, origin: str) -> None:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    preflight = await browser.http.options("/oauth/token", headers=headers)
    call = await browser.http.post("/oauth/token", headers={"Origin": origin})
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == origin
    assert "content-type" in preflight.headers["access-control-allow-headers"].lower()
    assert call.headers["access-control-allow-origin"] == origin


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:8081"])
async def test_scripts_of_other_origins_are_refused(browser: OAuthBrowser, origin: str) -> None:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    preflight = await browser.http.options("/oauth/token", headers=headers)
    call = await browser.http.post("/oauth/token", headers={"Origin": origin})
    assert preflight.status_code == 400
    assert "access-control-allow-origin" not in preflight.headers
    assert "access-control-allow-origin" not in call.headers
