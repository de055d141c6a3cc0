"""Fixtures for the tests of what only developers run."""

import pytest

from ops.development.sbom import documents


@pytest.fixture(scope="session")
def sbom_documents() -> dict[str, str]:
    """The CycloneDX documents by name; making them takes seconds."""
    return documents()
