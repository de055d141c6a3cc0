from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from ops.development.identity_provider.app import create_app
from ops.development.identity_provider.settings import IdentityProviderSettings
from ops.testing.http_servers import serve
from ops.testing.oauth_browser import OAuthBrowser

ISSUER = "http://localhost:8080/"
AUDIENCE = "https://api.fleetlog.example"
Provider = Callable[..., AbstractAsyncContextManager[str]]


@pytest.fixture(scope="module")
def provider() -> Provider:
    """What serves an identity provider on a state folder; gives its address."""

    def provider(state: Path, **more: Any) -> AbstractAsyncContextManager[str]:
        settings = IdentityProviderSettings(
            port=0, issuer=ISSUER, audience=AUDIENCE, environment="development", idp_state=state, **more
        )
        return serve(create_app(settings))

    return provider


@pytest.fixture(scope="module")
async def address(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """The identity provider, listening."""
    state = tmp_path_factory.mktemp("identity-provider")
    async with provider(state, idp_redirect_origins=("http://localhost:5173",)) as address:
        yield address


@pytest.fixture
async def browser(address: str) -> AsyncIterator[OAuthBrowser]:
    async with OAuthBrowser(address) as browser:
        yield browser


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"
