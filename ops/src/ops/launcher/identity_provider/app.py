"""The identity provider as an application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ops.launcher.identity_provider.api import ApiEndpoints
from ops.launcher.identity_provider.back_channel import BackChannel
from ops.launcher.identity_provider.browser import BrowserEndpoints
from ops.launcher.identity_provider.client import WebClient
from ops.launcher.identity_provider.pages import style_sheet
from ops.launcher.identity_provider.server import ProviderServer
from ops.launcher.identity_provider.settings import IdentityProviderSettings
from ops.launcher.identity_provider.store import Store
from ops.launcher.identity_provider.tokens import TokenSigner, load_or_create_key


def create_app(settings: IdentityProviderSettings) -> Starlette:
    """Build the application on the state folder that `settings` names.

    Raises:
        OSError: the folder cannot be used.
        ValueError: its signing key is damaged.
        sqlite3.Error: its sessions are.
    """
    signer = TokenSigner(load_or_create_key(settings.idp_state), settings.issuer, settings.audience)
    store = Store(settings.idp_state)
    client = WebClient(settings.idp_client_id, settings.origins)
    server = ProviderServer(signer, store, client)
    back_channel = BackChannel(signer, client, settings.idp_back_channel_logout)
    browser, api = BrowserEndpoints(server, store, client, back_channel), ApiEndpoints(server, signer)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await back_channel.close()
        store.close()

    routes = [
        Route("/authorize", browser.authorize),
        Route("/idp/login", browser.login, methods=["POST"]),
        Route("/idp/style.css", _style),
        Route("/v2/logout", browser.logout),
        Route("/oauth/token", api.token, methods=["POST"]),
        Route("/oauth/revoke", api.revoke, methods=["POST"]),
        Route("/userinfo", api.userinfo, methods=["GET", "POST"]),
        Route("/.well-known/openid-configuration", api.configuration),
        Route("/.well-known/jwks.json", api.keys),
        Route("/livez", _alive),
        Route("/readyz", _alive),  # everything it needs was opened before it began to listen
    ]
    # Applications of other origins (a frontend's development server) call the token endpoint from the
    # browser; Auth0's library sends the header `Auth0-Client` there.
    cross_origin = Middleware(
        CORSMiddleware,
        allow_origins=list(settings.origins),
        allow_methods=["GET", "POST"],
        allow_headers=["Auth0-Client", "Authorization", "Content-Type"],
        max_age=600,
    )
    return Starlette(routes=routes, middleware=[cross_origin], lifespan=lifespan)


async def _style(_: Request) -> Response:
    return style_sheet()


async def _alive(_: Request) -> Response:
    return JSONResponse({"status": "ok"})
