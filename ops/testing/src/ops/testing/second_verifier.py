"""Runs the verifier of audit files that was written from their format alone."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ops.launcher.frontend.node import NODE
from ops.launcher.paths import PROJECT

VERIFIER: Final = PROJECT / "ops" / "verifier"
# The command compares the checkpoints of all of its files, and some of these contradict each other.
_EACH_ALONE: Final = """
const [module, options, ...paths] = process.argv.slice(1);
const { main } = await import(module);
for (const path of paths) {
  process.exitCode = Math.max(process.exitCode ?? 0, await main([...JSON.parse(options), path]));
}
"""


def accepted_by_second(folder: Path, files: Mapping[str, bytes], options: str) -> set[str]:
    """Verify files, each alone, and return the names of those that the second verifier accepts.

    Args:
        folder: where the files are written, and the options' files are.
        options: as a JSON array.
    """
    for name, data in files.items():
        (folder / name).write_bytes(data)
    command = [NODE, "--input-type=module", "-e", _EACH_ALONE]
    done = subprocess.run(
        [*command, (VERIFIER / "verify.mjs").as_uri(), options, *files],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not done.stderr
    verdicts = dict(line.split(": ", 1) for line in done.stdout.splitlines() if line[:2] != "  ")
    assert verdicts.keys() == files.keys()
    assert all(verdict.startswith(("valid: ", "refused: ")) for verdict in verdicts.values())
    accepted = {name for name, verdict in verdicts.items() if verdict.startswith("valid: ")}
    assert done.returncode == (0 if accepted == files.keys() else 1)
    return accepted
