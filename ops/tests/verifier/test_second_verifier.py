"""The verifier that was written from the format's text alone agrees with the product's."""

import random
import string
import subprocess
from pathlib import Path

from ops.launcher.frontend.node import NODE
from ops.launcher.paths import PROJECT
from ops.tamper_evidence.bundles import BadBundle, check_bundle
from ops.testing.audit_vectors import KEY, refused_bundles, valid_bundles, write

VERIFIER = PROJECT / "ops" / "verifier"
CHANGED_CHARACTERS = 400


def accepted_by_product(bundles: dict[str, str]) -> set[str]:
    accepted = set()
    for name, text in bundles.items():
        try:
            check_bundle(text, KEY.verifying_key)
        except BadBundle:
            continue
        accepted.add(name)
    return accepted


def accepted_by_second(folder: Path, bundles: dict[str, str]) -> set[str]:
    """Run the second verifier on bundles, and return the names of those that it accepts."""
    (folder / "key").write_text(str(KEY.verifying_key))
    for name, text in bundles.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    command = [NODE, str(VERIFIER / "verify.mjs"), "--key", "key", *bundles]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert not done.stderr
    verdicts = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert verdicts.keys() == bundles.keys()
    assert all(verdict.startswith(("valid: ", "refused: ")) for verdict in verdicts.values())
    accepted = {name for name, verdict in verdicts.items() if verdict.startswith("valid: ")}
    assert done.returncode == (0 if accepted == bundles.keys() else 1)
    return accepted


def test_its_own_tests_pass() -> None:
    done = subprocess.run(
        [NODE, "--test"], cwd=VERIFIER, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout


def test_both_verifiers_accept_what_is_valid_and_refuse_what_was_changed(tmp_path: Path) -> None:
    valid, refused = valid_bundles(), refused_bundles()
    assert len(refused) > 200
    bundles = valid | refused
    assert accepted_by_product(bundles) == valid.keys()
    assert accepted_by_second(tmp_path, bundles) == valid.keys()


def test_both_verifiers_agree_on_any_changed_character(tmp_path: Path) -> None:
    source = random.Random(20261128)
    originals, bundles = list(valid_bundles().values()), dict[str, str]()
    for number in range(CHANGED_CHARACTERS):
        text, character = source.choice(originals), source.choice(string.printable)
        at = source.randrange(len(text))
        bundles[f"changed-{number}"] = text[:at] + character + text[at + 1 :]
    accepted = accepted_by_product(bundles)
    assert accepted_by_second(tmp_path, bundles) == accepted
    assert len(accepted) < CHANGED_CHARACTERS / 2  # white space between tokens is free


def test_vectors_are_those_of_the_current_format(tmp_path: Path) -> None:
    """`python -m ops.testing.audit_vectors ops/verifier/vectors` writes them."""
    write(tmp_path)
    kept = {path.name: path.read_bytes() for path in (VERIFIER / "vectors").iterdir()}
    assert kept == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
