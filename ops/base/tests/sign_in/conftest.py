from collections.abc import AsyncIterator, Iterator

import pytest

from ops.base.sign_in.verifier import TokenVerifier
from ops.testing.sign_in import SignIn
from ops.testing.token_issuer import TokenIssuer


@pytest.fixture(scope="module")
def shared_issuer() -> Iterator[TokenIssuer]:
    """For tests that only read it."""
    with TokenIssuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
async def sign_in(shared_issuer: TokenIssuer) -> AsyncIterator[SignIn]:
    async with TokenVerifier(shared_issuer.settings(client_id="fleetlog-web")) as verifier:
        yield SignIn(shared_issuer, verifier)


@pytest.fixture
def issuer() -> Iterator[TokenIssuer]:
    """For tests that rotate its keys or take it down."""
    with TokenIssuer() as issuer:
        yield issuer
