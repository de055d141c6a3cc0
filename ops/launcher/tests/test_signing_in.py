"""Signing in from the command line: what it trusts, how long it waits, and what it says."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from ops.launcher.errors import LauncherError
from ops.launcher.signing_in import SignIn, devices
from ops.launcher.signing_in.codes import CodeRequest, by_browser
from ops.launcher.signing_in.provider import Provider
from ops.testing.company_provider import CompanyProvider


@pytest.fixture
def company() -> Iterator[CompanyProvider]:
    """A company's provider, which is also the instance that names it."""
    with CompanyProvider(audience="apis", client_id="web") as provider:
        yield provider


def described(company: CompanyProvider, **changes: Any) -> dict[str, Any]:
    found = {"issuer": company.issuer, "token_endpoint": f"{company.issuer}oauth/token"}
    return {"auth": company.config["auth"], **found, **changes}


@pytest.mark.parametrize(
    ("config", "refusal"),
    [
        ({}, "names no identity provider: check the address"),
        ({"auth": {"domain": 1, "clientId": "web", "audience": "a"}}, "names no identity provider"),
        (
            {"auth": {"domain": "http://tenant.example", "clientId": "web", "audience": "a"}},
            "names an identity provider without https",
        ),
    ],
)
def test_an_instance_that_names_no_provider_to_trust(
    company: CompanyProvider, config: dict[str, Any], refusal: str
) -> None:
    company.config = config
    with pytest.raises(LauncherError, match=refusal):
        SignIn(company.origin).token()


def test_a_provider_that_is_not_what_it_should_be(company: CompanyProvider) -> None:
    localhost = company.origin.replace("127.0.0.1", "localhost")
    company.config = {"auth": {"domain": localhost, "clientId": "web", "audience": "a"}}
    with pytest.raises(LauncherError, match="is about another issuer"):
        Provider.of(company.origin)
    with pytest.raises(LauncherError, match="does not answer"):
        Provider.of("http://127.0.0.1:1")
    named = {"token_endpoint": "http://tenant.example/token", "device_authorization_endpoint": 1}
    provider = Provider(company.issuer, "web", "apis", named, ())
    with pytest.raises(LauncherError, match="token endpoint without https"):
        provider.endpoint("token")
    assert provider.endpoint("device_authorization") is None
    with pytest.raises(LauncherError, match="offers no way to sign in"):
        CodeRequest(provider, "http://127.0.0.1/callback").address()
    with pytest.raises(LauncherError, match="another identity provider answers"):
        CodeRequest(provider, "http://127.0.0.1/callback").tokens({"iss": "https://x/", "code": "c"})


def test_nobody_comes(
    company: CompanyProvider, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", "true")
    with pytest.raises(LauncherError, match="nobody signed in for 0 s; where there is no browser"):
        by_browser(Provider.of(company.origin), patience=0)
    printed = capsys.readouterr()
    assert (printed.out, "authorize?response_type=code" in printed.err) == ("", True)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LauncherError, match=f"port {port} is taken: name another one with --port"):
            by_browser(Provider.of(company.origin), port=port)


def test_a_device_asks_less_often_when_it_is_told_to_and_not_for_ever(
    company: CompanyProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(devices, "sleep", pauses.append)
    company.offers_device = True
    company.not_yet = ["authorization_pending", "slow_down", "slow_down"]
    sign_in = SignIn(company.origin)
    token = sign_in.token()
    assert pauses == [0, 0, 5, 10]
    assert sign_in.token() == token  # which is still good
    company.not_yet = ["expired_token"]
    with pytest.raises(LauncherError, match=r"nobody signed in at .* in time"):
        SignIn(company.origin).token()


def test_where_a_device_may_not_ask_a_browser_does(
    company: CompanyProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As at Auth0, which offers the grant to everybody and allows it to some."""
    monkeypatch.setenv("BROWSER", "true")
    monkeypatch.setattr("ops.launcher.signing_in.by_browser", lambda provider, **_: provider)
    company.offers_device = True
    provider: Any = SignIn(company.origin, client_id="another")._somebodys()
    assert provider.client_id == "another"
