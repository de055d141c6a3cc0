from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from command_api_testing.log_in_memory import LogInMemory

from command_api.app import build_app
from ops.base.settings import ServiceSettings
from ops.launcher.identity_provider.app import create_app
from ops.launcher.identity_provider.settings import IdentityProviderSettings
from ops.launcher.instance.record import PartRecord, Record
from ops.testing.serving import serving

ISSUER = "http://localhost:8080/"
AUDIENCE = "https://api.fleetlog.example"


@pytest.fixture
def log() -> LogInMemory:
    return LogInMemory()


@pytest.fixture
async def instance(log: LogInMemory, tmp_path: Path) -> AsyncIterator[Record]:
    """The command API and the identity provider, as the record of a running instance."""
    identity_provider = IdentityProviderSettings(
        port=0, issuer=ISSUER, audience=AUDIENCE, environment="development", idp_state=tmp_path
    )
    async with serving(create_app(identity_provider)) as keys:
        settings = ServiceSettings.model_validate(
            {
                "database": "",
                "issuer": ISSUER,
                "audience": AUDIENCE,
                "jwks_url": f"{keys}/.well-known/jwks.json",
            }
        )
        async with serving(build_app(settings, log)) as address:
            port = int(address.rpartition(":")[2])
            part = PartRecord(pid=0, started=0, program="", port=port, health=None, state="ready")
            environment = {
                "FLEETLOG_IDP_STATE": str(tmp_path),
                "FLEETLOG_ISSUER": ISSUER,
                "FLEETLOG_AUDIENCE": AUDIENCE,
            }
            yield Record(
                address=address,
                environments={"identity-provider": environment},
                parts={"command-api": part},
            )
