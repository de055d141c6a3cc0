from collections.abc import AsyncIterator, Iterator

import pytest

from ops.base.sign_in.verifier import TokenVerifier
from ops.testing.token_issuer import TokenIssuer


@pytest.fixture(scope="module")
def shared_issuer() -> Iterator[TokenIssuer]:
    """For tests that only read it."""
    with TokenIssuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
async def shared_verifier(shared_issuer: TokenIssuer) -> AsyncIterator[TokenVerifier]:
    async with TokenVerifier(shared_issuer.settings(client_id="fleetlog-web")) as verifier:
        yield verifier


@pytest.fixture
def issuer() -> Iterator[TokenIssuer]:
    """For tests that rotate its keys or take it down."""
    with TokenIssuer() as issuer:
        yield issuer
