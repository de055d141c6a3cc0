"""Requests that mean harm: open redirects, script injection, forged forms, other origins."""

import html
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ops.testing.oauth_browser import OAuthBrowser, hidden_fields, web_message

SCRIPT = "\"'><script>alert(1)</script>"
PARAMETERS = [
    "client_id",
    "redirect_uri",
    "scope",
    "response_type",
    "state",
    "nonce",
    "prompt",
    "code_challenge",
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
        "localhost:8080/",
        "javascript:alert(1)",
        "javascript://localhost:8080/%0aalert(1)",
        "data:text/html,hi",
        "http://localhost:8080\\@evil.example/",
        "http://localhost:8080#@evil.example/",
        "http://localhost:8080/#fragment",
        "http://localhost:8080/\r\nSet-Cookie: a=b",
        "http://localhost:8080/\x00",
        "http://localhost:8080/ space",
        " http://localhost:8080/",
        "http://localhost:8080/é",
        f"http://localhost:8080/{SCRIPT}",
    ],
)
async def test_a_browser_is_sent_to_no_other_address(browser: OAuthBrowser, redirect_uri: str | None) -> None:
    await browser.sign_in()  # so that nothing else would keep it from being sent

    answer = await browser.authorize(redirect_uri=redirect_uri)

    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert "text/html" in answer.headers["content-type"]


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "http://localhost:8080",
        "http://localhost:8080/",
        "http://localhost:8080/management/drivers",
        "http://localhost:8080?a=b",
        "http://localhost:5173/callback?a=b",
    ],
)
async def test_it_is_sent_to_any_page_of_an_allowed_origin(browser: OAuthBrowser, redirect_uri: str) -> None:
    answer = await browser.sign_in(redirect_uri=redirect_uri)

    assert answer.headers["location"].startswith(redirect_uri)
    assert (await browser.exchange(answer, redirect_uri=redirect_uri)).status_code == 200


async def test_an_unknown_client_is_refused_on_a_page_of_ours(browser: OAuthBrowser) -> None:
    answer = await browser.authorize(client_id="someone-else")

    assert answer.status_code == 400
    assert "location" not in answer.headers


@pytest.mark.parametrize("name", PARAMETERS)
async def test_no_parameter_becomes_part_of_a_page(browser: OAuthBrowser, name: str) -> None:
    for mode in ("query", "web_message"):
        for prompt in ({}, {"prompt": "none"}):
            page = await browser.authorize(**{"response_mode": mode, **prompt, name: SCRIPT})
            assert "<script>alert" not in page.text
            assert "'><script" not in page.text


async def test_the_state_comes_back_by_message_exactly_as_it_was(browser: OAuthBrowser) -> None:
    state = "</script><!--<script>&\"'\\"

    page = await browser.authorize(response_mode="web_message", prompt="none", state=state)

    assert page.text.count("</script>") == 1
    assert web_message(page)[0]["state"] == state


async def test_parameters_we_do_not_know_are_carried_along_harmlessly(browser: OAuthBrowser) -> None:
    page = await browser.http.get("/authorize", params={**browser.request(), "ui_locales": SCRIPT})

    assert page.status_code == 200
    assert SCRIPT not in page.text
    assert (await browser.choose(page)).status_code == 302


@pytest.mark.parametrize("name", ["state", "redirect_uri", "client_id", "code_challenge", "scope"])
async def test_a_parameter_given_twice_is_refused(browser: OAuthBrowser, name: str) -> None:
    request = browser.request()
    answer = await browser.http.get(f"/authorize?{urlencode(request)}&{urlencode({name: request[name]})}")

    assert answer.status_code == 400


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(PARAMETERS), value=st.text(st.characters(), max_size=40))
async def test_any_text_in_any_parameter_is_answered(browser: OAuthBrowser, name: str, value: str) -> None:
    query = urlencode({**browser.request(), name: value}, errors="surrogatepass")

    answer = await browser.http.get(f"/authorize?{query}")

    assert answer.status_code in {200, 302, 400}
    if "location" in answer.headers:
        assert answer.headers["location"].startswith("http://localhost:8080?")


# --- forged forms


async def test_a_form_without_our_cookie_signs_nobody_in(browser: OAuthBrowser) -> None:
    page = await browser.authorize()
    browser.http.cookies.clear()

    answer = await browser.choose(page)

    assert answer.status_code == 403
    assert "fleetlog_idp_session" not in answer.headers.get("set-cookie", "")


@pytest.mark.parametrize("token", ["", "guess", "é"])
async def test_a_form_with_another_token_signs_nobody_in(browser: OAuthBrowser, token: str) -> None:
    answer = await browser.choose(await browser.authorize(), form_token=token)

    assert answer.status_code == 403
    assert html.escape("/authorize?client_id=fleetlog-web&") in answer.text  # the way to begin again


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999"])
async def test_a_form_from_another_origin_signs_nobody_in(browser: OAuthBrowser, origin: str) -> None:
    page = await browser.authorize()
    browser.origin = origin

    assert (await browser.choose(page)).status_code == 403


async def test_any_cookie_that_was_planted_still_gives_a_page(browser: OAuthBrowser) -> None:
    for cookie in (b"\xc3\xa9", b'"; Path=/x', b"a,b c", b"x" * 4000):
        headers = [(b"Cookie", b"fleetlog_idp_form=" + cookie)]
        page = await browser.http.get("/authorize", params=browser.request(), headers=headers)
        assert page.status_code == 200


async def test_two_tabs_can_both_sign_in(browser: OAuthBrowser) -> None:
    first, second = await browser.authorize(), await browser.authorize()

    assert (await browser.choose(first)).status_code == 302
    assert (await browser.choose(second)).status_code == 302


@pytest.mark.parametrize(
    "changes",
    [
        {"user": "dev|nobody"},
        {"user": ""},
        {"request": ""},
        {"request": "client_id=%ff"},
        {"request": "a" * 20_000},
    ],
    ids=lambda changes: str(changes)[:40],
)
async def test_a_form_that_was_tampered_with_signs_nobody_in(
    browser: OAuthBrowser, changes: dict[str, str]
) -> None:
    user = changes.pop("user", "dev|asha")
    answer = await browser.choose(await browser.authorize(), user, **changes)

    assert answer.status_code == 400
    assert "fleetlog_idp_session" not in answer.headers.get("set-cookie", "")


async def test_the_form_cannot_turn_a_bad_request_into_a_good_one(browser: OAuthBrowser) -> None:
    page = await browser.authorize()
    request = hidden_fields(page.text)["request"].replace("localhost%3A8080", "evil.example")
    assert "evil.example" in request

    answer = await browser.choose(page, request=request)

    assert answer.status_code == 400
    assert "location" not in answer.headers


async def test_the_login_page_cannot_be_framed_and_runs_no_script(browser: OAuthBrowser) -> None:
    policy = (await browser.authorize()).headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert "form-action 'self' http://localhost:8080 http://localhost:5173" in policy


# --- other origins


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
@pytest.mark.parametrize("origin", ["http://localhost:8080", "http://localhost:5173"])
async def test_scripts_of_allowed_origins_may_call(browser: OAuthBrowser, path: str, origin: str) -> None:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "auth0-client,content-type",
    }
    preflight = await browser.http.options(path, headers=headers)
    call = await browser.http.post(path, headers={"Origin": origin})

    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == origin
    assert "auth0-client" in preflight.headers["access-control-allow-headers"].lower()
    assert call.headers["access-control-allow-origin"] == origin


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:8081"])
async def test_scripts_of_other_origins_may_not(browser: OAuthBrowser, origin: str) -> None:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    preflight = await browser.http.options("/oauth/token", headers=headers)
    call = await browser.http.post("/oauth/token", headers={"Origin": origin})

    assert preflight.status_code == 400
    assert "access-control-allow-origin" not in preflight.headers
    assert "access-control-allow-origin" not in call.headers
