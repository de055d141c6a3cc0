"""Both APIs conform to their documents under fuzzing."""

import json
from pathlib import Path

import pytest

from ops.testing.fuzzing.runner import fuzz, merge_documents, summary
from ops.testing.product.client import Client
from ops.testing.product.exchanges import Actor
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

FEW = 2
EXAMPLES = 1000
"""Examples of each operation in the soak."""
LONG = 4 * 3600
ROLES = {"command-api": "staff", "query-api": "auditor"}
"""Roles with all permissions of an API."""
SAME_EACH_TIME = ("--seed", "1")
"""The suite is deterministic; the soak is not."""
KINDS = {"command-api": ("--include-tag", "drivers", "--include-tag", "horses"), "query-api": ()}
"""Two of four entity types for commands, whose bodies take long; the soak tries all."""


def document_of(stack: Stack, api: str) -> str:
    """Return the address at the service itself: the gateway sends unknown methods to the other API."""
    return f"{stack.service_address(api)}/openapi.json"


def merged_document(client: Client, folder: Path) -> Path:
    """Write a document of both APIs, whose links lead from registration to query, change and removal."""
    document = folder / "merged.json"
    document.write_text(json.dumps(merge_documents(*client.documents)))
    return document


def by_links(stack: Stack) -> tuple[str, ...]:
    return ("--url", stack.address, "--phases", "stateful")


@pytest.mark.parametrize("api", ROLES)
def test_api_conforms_to_its_document(stack: Stack, tmp_path: Path, api: str) -> None:
    token, arguments = stack.token(ROLES[api]), (*SAME_EACH_TIME, *KINDS[api])
    print(summary(fuzz(document_of(stack, api), tmp_path, token=token, examples=FEW, arguments=arguments)))


def test_sequences_by_links_conform_to_the_documents(
    stack: Stack, client: Client, asha: Actor, tmp_path: Path
) -> None:
    document = merged_document(client, tmp_path)
    arguments = (*by_links(stack), *SAME_EACH_TIME)
    print(summary(fuzz(document, tmp_path, token=asha.token, examples=FEW, arguments=arguments)))


@pytest.mark.soak
@pytest.mark.timeout(LONG)
@pytest.mark.parametrize(("api", "role"), [*ROLES.items(), *((api, "analyst") for api in ROLES)])
def test_fuzz_an_api_for_long(stack: Stack, tmp_path: Path, api: str, role: str) -> None:
    token = stack.token(role, lifetime=LONG)
    printed = fuzz(document_of(stack, api), tmp_path, token=token, examples=soak_count(EXAMPLES))
    print(f"\n{api}, {role}\n{summary(printed)}")


@pytest.mark.soak
@pytest.mark.timeout(LONG)
def test_fuzz_both_apis_behind_the_gateway_for_long(stack: Stack, client: Client, tmp_path: Path) -> None:
    document, token = merged_document(client, tmp_path), stack.token(lifetime=LONG)
    arguments = by_links(stack)
    printed = fuzz(document, tmp_path, token=token, examples=soak_count(EXAMPLES), arguments=arguments)
    print(f"\nboth\n{summary(printed)}")
