"""The verifier that was written from the format's text alone agrees with the product's."""

import random
import string
import subprocess
from pathlib import Path

from ops.launcher.frontend.node import NODE
from ops.tamper_evidence.proof_checks import BadProof, check_proof
from ops.testing.audit_vectors import KEY, refused_proofs, valid_proofs, write
from ops.testing.second_verifier import VERIFIER, accepted_by_second

CHANGED_CHARACTERS = 400
OPTIONS = '["--key", "key"]'


def accepted_by_product(proofs: dict[str, bytes]) -> set[str]:
    accepted = set()
    for name, proof in proofs.items():
        try:
            check_proof(proof.splitlines(keepends=True), KEY.verifying_key)
        except BadProof:
            continue
        accepted.add(name)
    return accepted


def test_its_own_tests_pass() -> None:
    done = subprocess.run(
        [NODE, "--test"], cwd=VERIFIER, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout


def test_both_verifiers_accept_what_is_valid_and_refuse_what_was_changed(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(str(KEY.verifying_key))
    valid, refused = valid_proofs(), refused_proofs()
    assert len(refused) > 200
    proofs = valid | refused
    assert accepted_by_product(proofs) == valid.keys()
    assert accepted_by_second(tmp_path, proofs, OPTIONS) == valid.keys()


def test_both_verifiers_agree_on_any_changed_character(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(str(KEY.verifying_key))
    source = random.Random(20261128)
    originals, proofs = list(valid_proofs().values()), dict[str, bytes]()
    for number in range(CHANGED_CHARACTERS):
        proof, character = source.choice(originals), source.choice(string.printable).encode()
        at = source.randrange(len(proof))
        proofs[f"changed-{number}"] = proof[:at] + character + proof[at + 1 :]
    accepted = accepted_by_product(proofs)
    assert accepted_by_second(tmp_path, proofs, OPTIONS) == accepted
    assert len(accepted) < CHANGED_CHARACTERS / 4  # texts that were opened are free, and equal characters


def test_vectors_are_those_of_the_current_format(tmp_path: Path) -> None:
    """`python -m ops.testing.audit_vectors ops/verifier/vectors` writes them."""
    write(tmp_path)
    kept = {path.name: path.read_bytes() for path in (VERIFIER / "vectors").iterdir()}
    assert kept == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
