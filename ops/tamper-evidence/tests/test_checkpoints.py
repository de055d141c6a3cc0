"""Signed checkpoints: what opens, and what does not."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.signed_notes import BadNote, SigningKey, VerifyingKey

CHECKPOINT = Checkpoint("fleetlog/0123", 42, bytes(range(32)), 17)
KEY = SigningKey("fleetlog", Ed25519PrivateKey.from_private_bytes(bytes(32)))
NOTE = CHECKPOINT.signed(KEY)


def test_signed_checkpoint_is_verified_with_the_public_key() -> None:
    public = VerifyingKey.parse(f"{KEY.verifying_key}\n")
    assert Checkpoint.from_note(NOTE, public) == CHECKPOINT


def test_note_has_the_format_of_the_specification() -> None:
    *text, signature = NOTE.splitlines()
    assert text == [
        "fleetlog/0123",
        "42",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "previous 17",
        "",
    ]
    assert signature.startswith("\N{EM DASH} fleetlog ")


def test_additional_signatures_are_ignored() -> None:
    """As the specification has it: witnesses may sign as well."""
    assert Checkpoint.from_note(f"{NOTE}\N{EM DASH} witness AAAAAAAA\n", KEY.verifying_key) == CHECKPOINT


@pytest.mark.parametrize("old", ["42", "fleetlog/0123", "AAEC", "17", "\N{EM DASH}", "\n\n", "="])
def test_changed_note_is_refused(old: str) -> None:
    with pytest.raises(BadCheckpoint):
        Checkpoint.from_note(NOTE.replace(old, "x", 1), KEY.verifying_key)


@given(at=st.integers(0, len(NOTE) - 1), character=st.characters())
def test_any_changed_character_is_detected(at: int, character: str) -> None:
    try:
        opened = Checkpoint.from_note(NOTE[:at] + character + NOTE[at + 1 :], KEY.verifying_key)
    except BadCheckpoint:
        return
    assert opened == CHECKPOINT


@pytest.mark.parametrize(
    "text",
    [
        "fleetlog/0123/history\n",
        CHECKPOINT.text().replace("42", "042"),
        CHECKPOINT.text().replace("42", "-42"),
        CHECKPOINT.text().replace("42", "17"),
        CHECKPOINT.text().replace("AAEC", ""),
        CHECKPOINT.text().replace("previous ", ""),
        CHECKPOINT.text() + "more\n",
    ],
)
def test_signed_text_that_is_not_a_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(BadCheckpoint, match="not a checkpoint"):
        Checkpoint.from_note(KEY.sign(text), KEY.verifying_key)


def test_another_key_refuses_the_note() -> None:
    other = SigningKey("fleetlog", Ed25519PrivateKey.generate())
    with pytest.raises(BadCheckpoint, match="not signed"):
        Checkpoint.from_note(NOTE, other.verifying_key)


@pytest.mark.parametrize("text", ["", "a+b", "a+00000000+AQ==", "a+b+c", "a+00000000+Ag==", "a+b+\u00e9"])
def test_malformed_key_is_refused(text: str) -> None:
    with pytest.raises(BadNote):
        VerifyingKey.parse(text)
