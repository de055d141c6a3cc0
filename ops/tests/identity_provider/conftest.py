from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ops.launcher.identity_provider.app import create_app
from ops.launcher.identity_provider.settings import IdentityProviderSettings
from ops.testing.oauth_browser import OAuthBrowser
from ops.testing.serving import serving


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> IdentityProviderSettings:
    return IdentityProviderSettings(
        port=0,
        issuer="http://localhost:8080/",
        audience="https://api.fleetlog.example",
        environment="development",
        idp_state=tmp_path_factory.mktemp("identity-provider"),
        idp_redirect_origins=("http://localhost:5173",),
    )


@pytest.fixture(scope="module")
async def address(settings: IdentityProviderSettings) -> AsyncIterator[str]:
    """The identity provider, listening."""
    async with serving(create_app(settings)) as address:
        yield address


@pytest.fixture
async def browser(address: str) -> AsyncIterator[OAuthBrowser]:
    browser = OAuthBrowser(address)
    yield browser
    await browser.close()


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"
