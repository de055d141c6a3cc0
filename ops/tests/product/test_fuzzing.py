"""Both APIs do what their OpenAPI documents say, whatever is sent: no check fails, nothing answers 5xx."""

import json
from pathlib import Path

import pytest

from ops.testing.fuzzing.running import both_halves, fuzz, summary
from ops.testing.product.client import Client
from ops.testing.product.exchanges import Actor
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

FEW = 2
EXAMPLES = 1000
"""For each operation, in the soak."""
LONG = 4 * 3600
"""Seconds that they may take."""
APIS = ("command-api", "query-api")
SAME_EACH_TIME = ("--seed", "1")
"""What the suite tries; the soak tries something else each time."""
TWO_KINDS = ("--include-tag", "drivers", "--include-tag", "horses")
"""Of four: the commands' bodies are what takes time."""


def document_of(stack: Stack, api: str) -> str:
    """At its own address: at the gateway, methods that one API does not know are answered by the other."""
    return f"{stack.part_address(api)}/openapi.json"


def whole_document(client: Client, folder: Path) -> Path:
    """Of both APIs behind the gateway: to create, read, change and remove, one after the other, by links."""
    document = folder / "whole.json"
    document.write_text(json.dumps(both_halves(*client.documents)))
    return document


def by_links(stack: Stack) -> tuple[str, ...]:
    return ("--url", stack.address, "--phases", "stateful")


@pytest.mark.parametrize(("api", "kinds"), list(zip(APIS, (TWO_KINDS, ()), strict=True)))
def test_an_api_does_what_its_document_says(
    stack: Stack, asha: Actor, tmp_path: Path, api: str, kinds: tuple[str, ...]
) -> None:
    printed = fuzz(
        document_of(stack, api), tmp_path, token=asha.token, examples=FEW, arguments=(*SAME_EACH_TIME, *kinds)
    )
    print(summary(printed))


def test_one_request_leads_to_the_next_as_the_documents_say(
    stack: Stack, client: Client, asha: Actor, tmp_path: Path
) -> None:
    document = whole_document(client, tmp_path)
    arguments = (*by_links(stack), *SAME_EACH_TIME)
    print(summary(fuzz(document, tmp_path, token=asha.token, examples=FEW, arguments=arguments)))


@pytest.mark.soak
@pytest.mark.timeout(LONG)
@pytest.mark.parametrize("api", APIS)
def test_fuzz_an_api_for_long(stack: Stack, tmp_path: Path, api: str) -> None:
    token = stack.token(lifetime=LONG)
    printed = fuzz(document_of(stack, api), tmp_path, token=token, examples=soak_count(EXAMPLES))
    print(f"\n{api}\n{summary(printed)}")


@pytest.mark.soak
@pytest.mark.timeout(LONG)
def test_fuzz_both_behind_the_gateway_for_long(stack: Stack, client: Client, tmp_path: Path) -> None:
    document, token = whole_document(client, tmp_path), stack.token(lifetime=LONG)
    arguments = by_links(stack)
    printed = fuzz(document, tmp_path, token=token, examples=soak_count(EXAMPLES), arguments=arguments)
    print(f"\nboth\n{summary(printed)}")
