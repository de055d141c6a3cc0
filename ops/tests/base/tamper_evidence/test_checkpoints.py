"""Signed checkpoints: what opens, and what does not."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ops.base.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint, SigningKey, VerifyingKey

CHECKPOINT = Checkpoint("fleetlog/0123", 42, bytes(range(32)))
KEY = SigningKey("fleetlog/0123", Ed25519PrivateKey.from_private_bytes(bytes(32)))


def test_a_signed_checkpoint_opens_with_the_key_s_public_half() -> None:
    public = VerifyingKey.parse(f"{KEY.verifying_key}\n")
    assert public.open(KEY.sign(CHECKPOINT)) == CHECKPOINT


def test_a_note_has_the_form_of_the_specification() -> None:
    assert KEY.sign(CHECKPOINT).splitlines()[:4] == [
        "fleetlog/0123",
        "42",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "",
    ]
    assert KEY.sign(CHECKPOINT).splitlines()[4].startswith("\N{EM DASH} fleetlog/0123 ")


@pytest.mark.parametrize("old", ["42", "fleetlog/0123", "AAEC", "\N{EM DASH}", "\n\n", "="])
def test_what_was_changed_does_not_open(old: str) -> None:
    note = KEY.sign(CHECKPOINT)
    with pytest.raises(BadCheckpoint):
        KEY.verifying_key.open(note.replace(old, "x", 1))


def test_another_key_does_not_open_it() -> None:
    other = SigningKey("fleetlog/0123", Ed25519PrivateKey.generate())
    with pytest.raises(BadCheckpoint, match="not signed"):
        other.verifying_key.open(KEY.sign(CHECKPOINT))


@pytest.mark.parametrize("text", ["", "a+b", "a+00000000+AQ==", "a+b+c", "a+00000000+Ag=="])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(BadCheckpoint):
        VerifyingKey.parse(text)
