"""Both APIs conform to their documents under fuzzing."""

import json
from pathlib import Path

import pytest

from ops.testing.fuzzing.runner import fuzz, merge_documents, summary
from ops.testing.product.client import Client
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

FEW = 2
LONG = 4 * 3600
of_each_operation = pytest.mark.parametrize("examples", suite_and_soak(FEW, 1000, hours=4))
KINDS = {"command-api": ("--include-tag", "drivers", "--include-tag", "horses"), "query-api": ()}
"""Two of four entity types for commands, whose bodies take long; the soak tries all."""


def of_suite(examples: int, *arguments: str) -> tuple[str, ...]:
    """Return arguments for the suite, which is deterministic; the soak is not."""
    return ("--seed", "1", *arguments) if examples == FEW else ()


@of_each_operation
@pytest.mark.parametrize(
    ("api", "role"),
    [
        ("command-api", "staff"),
        ("query-api", "auditor"),
        *(pytest.param(api, "analyst", marks=pytest.mark.soak) for api in KINDS),
    ],
)
def test_api_conforms_to_its_document(
    stack: Stack, tmp_path: Path, api: str, role: str, examples: int
) -> None:
    # At the service itself: the gateway sends unknown methods to the other API.
    document = f"{stack.service_address(api)}/openapi.json"
    token, arguments = stack.token(role, lifetime=LONG), of_suite(examples, *KINDS[api])
    print(f"\n{api}, {role}")
    print(summary(fuzz(document, tmp_path, token=token, examples=examples, arguments=arguments)))


@of_each_operation
def test_sequences_by_links_conform_to_the_documents(
    stack: Stack, client: Client, tmp_path: Path, examples: int
) -> None:
    """The links of the merged document lead from registration to query, change and removal."""
    document = tmp_path / "merged.json"
    document.write_text(json.dumps(merge_documents(*client.documents)))
    arguments = ("--url", stack.address, "--phases", "stateful", *of_suite(examples))
    token = stack.token(lifetime=LONG)
    print(summary(fuzz(document, tmp_path, token=token, examples=examples, arguments=arguments)))
