"""Fixtures for the tests of the whole running product."""

from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("ops.testing.product")

from ops.testing.product.client import Client, sign_in  # noqa: E402 - after the line above
from ops.testing.product.exchanges import Actor  # noqa: E402
from ops.testing.stack import Stack  # noqa: E402


@pytest.fixture(scope="session")
def asha(stack: Stack) -> Actor:
    """A dispatcher."""
    return sign_in(stack, "staff")


@pytest.fixture(scope="session")
def daniel(stack: Stack) -> Actor:
    """An auditor; whoever is signed in may send commands."""
    return sign_in(stack, "auditor")


@pytest.fixture
def client(stack: Stack) -> Iterator[Client]:
    """A client without cookies yet."""
    with Client(stack) as client:
        yield client
