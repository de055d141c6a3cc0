"""Running the command line of schemathesis."""

import json
import os
import subprocess
from copy import deepcopy
from pathlib import Path
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
) -> str:
    """Fuzz an API in all phases and with all checks, and return the output.

    Args:
        document: address or file of the OpenAPI document.
        folder: working folder.
        token: a valid access token.
        examples: the number of examples for each operation in each generating phase.
        arguments: further arguments of `schemathesis run`.

    Raises:
        AssertionError: a check failed; the text is the output.
    """
    command = [
        *PYTHON, "schemathesis.cli", "--config-file", str(_CONFIGURATION), "run", str(document),
        "--header", f"Authorization: Bearer {token}", "--max-examples", str(examples), "--no-color",
        *arguments,
    ]  # fmt: skip
    variables = {**os.environ, "SCHEMATHESIS_HOOKS": _HOOKS}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{done.stdout}\n{done.stderr}")
    return done.stdout


def summary(printed: str) -> str:
    """Return the summary in the output of `fuzz`."""
    return printed[printed.rindex(" SUMMARY ") :].partition("\n")[2].strip()


def merge_documents(commands: dict[str, Any], queries: dict[str, Any]) -> dict[str, Any]:
    """Return one document of both APIs behind the gateway, with links from new records to their queries."""
    merged = deepcopy(commands)
    for path, operations in queries["paths"].items():
        merged["paths"].setdefault(path, {}).update(operations)
    merged["components"]["schemas"] |= queries["components"]["schemas"]
    for entity in ENTITY_TYPES:
        links = merged["paths"][entity.path]["post"]["responses"]["201"]["links"]
        (parameters,) = {json.dumps(link["parameters"]) for link in links.values()}
        links[f"get_{entity.name}"] = {
            "operationId": f"get_{entity.name}",
            "parameters": {"entity_id": json.loads(parameters)["entity_id"]},
        }
    return merged
