"""Users and clients of the running product."""

from collections.abc import Iterator

import pytest

from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import Actor
from ops.testing.stack import Stack


@pytest.fixture(scope="session")
def asha(stack: Stack) -> Actor:
    """A dispatcher."""
    return sign_in(stack, "staff")


@pytest.fixture(scope="session")
def rohan(stack: Stack) -> Actor:
    """A fleet manager with the same permissions."""
    return sign_in(stack, "rohan")


@pytest.fixture(scope="session")
def daniel(stack: Stack) -> Actor:
    """An auditor, who reads everything and writes nothing."""
    return sign_in(stack, "auditor")


@pytest.fixture
def client(stack: Stack) -> Iterator[Client]:
    with Client(stack) as client:
        yield client
