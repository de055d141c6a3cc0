"""`python -m ops.launcher.gateway`: the service `gateway` of `compose.yaml`.

It configures nginx from the environment and then executes nginx's master: SIGHUP reloads the configuration,
SIGQUIT ends nginx after the current requests.
"""

import ssl
from pathlib import Path

from pydantic import Field

from ops.base.settings import Settings, SignInProtocol, Words
from ops.launcher.containers import exit_on_error
from ops.launcher.errors import LauncherError
from ops.launcher.gateway.configuration import SEVERAL_PROCESSES, Tls, write_configuration
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.process import knows_javascript
from ops.launcher.gateway.program import become_nginx
from ops.launcher.instance.sign_in import Provider


class GatewaySettings(Settings):
    """Settings; servers are `HOST:PORT`, and a name may resolve to several."""

    host: str = "127.0.0.1"
    port: int = Field(ge=1, le=65535, description="port to listen on")
    metrics_port: int | None = Field(default=None, ge=1, le=65535, description="port of metrics")
    tls_port: int | None = Field(default=None, ge=1, le=65535, description="port of TLS")
    tls_certificate: Path | None = Field(
        default=None,
        description="PEM file with a key and its certificates; the other port then redirects"
        " to the public address",
    )
    redirect_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="port that redirects instead, while the other one serves internal clients",
    )
    edge_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="port for connections from the edge, with the PROXY protocol",
    )
    edge_tls_port: int | None = Field(default=None, ge=1, le=65535, description="the same, for TLS")
    public_address: str = Field(description="the origin that browsers use")
    sign_in: SignInProtocol = "auth0"
    sign_in_origins: str = Field(
        default="", description="further origins of the identity provider, to which browsers send requests"
    )
    sign_in_scope: str = Field(default="", description="further scopes that browsers request")
    issuer: str = Field(description="identity provider's issuer, exactly as in its metadata")
    audience: str
    client_id: str
    command_api: Words[str]
    query_api: Words[str]
    identity_provider: Words[str] = Field(default=(), description="the development one, if any")
    frontend_dist: Path = Field(description="folder of the built frontend")
    gateway_state: Path = Field(description="folder for nginx's configuration")

    def provider(self) -> Provider:
        """Return the identity provider, as browsers use it."""
        return Provider(
            self.issuer,
            self.audience,
            self.client_id,
            jwks_url="",
            protocol=self.sign_in,
            origins=self.sign_in_origins,
            scope=self.sign_in_scope,
        )

    def from_edge(self) -> dict[str, str]:
        """Return the addresses for connections from the edge, with the own address that each leads to."""
        ports = {
            self.edge_port: (self.tls_port and self.redirect_port) or self.port,
            self.edge_tls_port: self.tls_port,
        }
        here = "127.0.0.1" if self.host == "0.0.0.0" else self.host  # noqa: S104 - it is compared
        return {f"{self.host}:{edge}": f"{here}:{own}" for edge, own in ports.items() if edge and own}

    def tls(self) -> Tls | None:
        """Return the configuration of TLS, if the gateway terminates it."""
        if self.tls_port is None and self.tls_certificate is None:
            return None
        if self.tls_port is None or self.tls_certificate is None:
            raise LauncherError("FLEETLOG_TLS_PORT and FLEETLOG_TLS_CERTIFICATE must be set together")
        if not self.public_address.lower().startswith("https:"):
            raise LauncherError(
                "with FLEETLOG_TLS_CERTIFICATE, FLEETLOG_PUBLIC_ADDRESS must begin with https:"
            )
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.tls_certificate)
        except (OSError, ssl.SSLError) as error:
            reason = getattr(error, "reason", None) or error.strerror
            raise LauncherError(
                f"FLEETLOG_TLS_CERTIFICATE: {self.tls_certificate} lacks a key with its certificate: {reason}"
            ) from None
        redirects = f"{self.host}:{self.redirect_port}" if self.redirect_port else None
        return Tls(f"{self.host}:{self.tls_port}", self.tls_certificate, redirects)


def main() -> None:
    """Configure and execute nginx."""
    with exit_on_error("gateway"):
        settings = GatewaySettings()
        write_configuration(
            settings.gateway_state,
            address=settings.public_address,
            listen=[f"{settings.host}:{settings.port}"],
            upstreams={
                "command-api": settings.command_api,
                "query-api": settings.query_api,
                "identity-provider": settings.identity_provider,
            },
            frontend=settings.frontend_dist,
            processes=SEVERAL_PROCESSES,
            provider=settings.provider(),
            metrics=f"{settings.host}:{settings.metrics_port}"
            if settings.metrics_port and knows_javascript()
            else None,
            tls=settings.tls(),
            from_edge=settings.from_edge(),
        )
        become_nginx(settings.gateway_state, descriptors=GatewayLimits.load(LauncherError).descriptors)


if __name__ == "__main__":
    main()
