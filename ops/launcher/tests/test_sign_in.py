"""Sign-in on the command line: trust, timeouts and messages."""

from collections.abc import Iterator
from typing import Any

import pytest

from ops.base.sign_in.token_format import read_claims
from ops.launcher.errors import LauncherError
from ops.launcher.sign_in import SignIn, devices
from ops.launcher.sign_in.programs import SECRET, program_token
from ops.launcher.sign_in.provider import ProviderClient, Refused
from ops.testing.company_provider import CompanyProvider


@pytest.fixture
def company() -> Iterator[CompanyProvider]:
    """A company's provider, which also serves the instance's configuration."""
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
def test_an_instance_without_a_trustworthy_provider_is_refused(
    company: CompanyProvider, config: dict[str, Any], refusal: str
) -> None:
    company.config = config
    with pytest.raises(LauncherError, match=refusal):
        SignIn(company.origin).token()


def test_a_provider_that_cannot_be_trusted_is_refused(company: CompanyProvider) -> None:
    localhost = company.origin.replace("127.0.0.1", "localhost")
    company.config = {"auth": {"domain": localhost, "clientId": "web", "audience": "a"}}
    with pytest.raises(LauncherError, match="describes another issuer"):
        ProviderClient.discover(company.origin)
    with pytest.raises(LauncherError, match="does not answer"):
        ProviderClient.discover("http://127.0.0.1:1")
    named = {"token_endpoint": "http://tenant.example/token", "device_authorization_endpoint": 1}
    provider = ProviderClient(company.issuer, "web", "apis", named)
    with pytest.raises(LauncherError, match="token endpoint without https"):
        provider.endpoint("token")
    assert provider.endpoint("device_authorization") is None
    with pytest.raises(LauncherError, match="offers no sign-in on a command line: enable the device"):
        devices.by_device(provider)


def test_a_device_polls_more_slowly_on_request_and_gives_up(
    company: CompanyProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(devices, "sleep", pauses.append)
    company.not_yet = ["authorization_pending", "slow_down", "slow_down"]
    sign_in = SignIn(company.origin)
    token = sign_in.token()
    assert pauses == [0, 0, 5, 10]
    assert sign_in.token() == token  # cached
    company.not_yet = ["expired_token"]
    with pytest.raises(LauncherError, match=r"no sign-in at .* within the time allowed"):
        SignIn(company.origin).token()


@pytest.mark.parametrize(
    ("scope", "requested"), [(None, ""), ("api://fleet/.default", " api://fleet/.default")]
)
@pytest.mark.parametrize("path", ["/realms/fleet", "/application/o/fleet/"])
def test_a_provider_with_other_endpoints_is_discovered(path: str, scope: str | None, requested: str) -> None:
    with CompanyProvider(audience="apis", client_id="web", path=path) as company:
        if scope:
            company.config["auth"]["scope"] = scope
        sign_in = SignIn(company.origin)
        assert sign_in.provider.issuer == company.issuer
        assert read_claims(sign_in.token())["iss"] == company.issuer
        assert company.scope == f"openid profile email{requested}"
        company.further = {"issuer": f"{company.origin}/realms/other"}
        with pytest.raises(LauncherError, match="describes another issuer"):
            SignIn(company.origin).token()


def test_program_signs_in_with_the_secret_in_the_environment(
    company: CompanyProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = ProviderClient.discover(company.origin)
    monkeypatch.delenv(SECRET, raising=False)
    with pytest.raises(LauncherError, match="FLEETLOG_CLIENT_SECRET is not set"):
        program_token(provider, "planner")
    monkeypatch.setenv(SECRET, "other")
    with pytest.raises(Refused, match="invalid_client"):
        program_token(provider, "planner")
    monkeypatch.setenv(SECRET, "s3cret")
    claims = read_claims(program_token(provider, "planner", "api://fleetlog/.default"))
    assert (claims["sub"], claims["scope"]) == ("planner", "api://fleetlog/.default")
