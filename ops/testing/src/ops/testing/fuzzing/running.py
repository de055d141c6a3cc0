"""Running schemathesis as its own command line does."""

import json
import os
import subprocess
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from ops.base.records.entities import ENTITY_TYPES
from ops.launcher.paths import PYTHON

_CONFIGURATION: Final = Path(__file__).with_name("schemathesis.toml")
_HOOKS: Final = "ops.testing.fuzzing.hooks"


def fuzz(
    document: str | Path,
    folder: Path,
    *,
    token: str,
    examples: int,
    arguments: tuple[str, ...] = (),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Try what a document allows and what it forbids, in all phases and with all checks.

    Args:
        document: address or file of the OpenAPI document.
        folder: where reports and the like may be left.
        token: a valid access token.
        examples: for each operation, in each phase that makes them up.
        arguments: further arguments of `schemathesis run`.
        environment: what the hooks find besides.

    Returns:
        What it printed.

    Raises:
        AssertionError: something failed; the text is what it printed.
    """
    command = [
        *PYTHON, "schemathesis.cli", "--config-file", str(_CONFIGURATION), "run", str(document),
        "--header", f"Authorization: Bearer {token}", "--max-examples", str(examples), "--no-color",
        *arguments,
    ]  # fmt: skip
    whole = {**os.environ, "SCHEMATHESIS_HOOKS": _HOOKS, **environment}
    done = subprocess.run(command, cwd=folder, env=whole, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{done.stdout}\n{done.stderr}")
    return done.stdout


def summary(printed: str) -> str:
    """Return the last part of what `fuzz` returned."""
    return printed[printed.rindex(" SUMMARY ") :].partition("\n")[2].strip()


def both_halves(commands: dict[str, Any], queries: dict[str, Any]) -> dict[str, Any]:
    """Return one document of what clients see at the gateway, with a link from a new record to its GET."""
    whole = deepcopy(commands)
    for path, operations in queries["paths"].items():
        whole["paths"].setdefault(path, {}).update(operations)
    whole["components"]["schemas"] |= queries["components"]["schemas"]
    for entity in ENTITY_TYPES:
        links = whole["paths"][entity.path]["post"]["responses"]["201"]["links"]
        (parameters,) = {json.dumps(link["parameters"]) for link in links.values()}
        links[f"get_{entity.name}"] = {
            "operationId": f"get_{entity.name}",
            "parameters": {"entity_id": json.loads(parameters)["entity_id"]},
        }
    return whole
