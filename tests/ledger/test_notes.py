"""Signed texts: published examples, one spelling for everything, and nothing accepted with as much as a bit turned."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from reviewers.ledger.merkle.notes import (
    LONGEST_NOTE,
    FormatError,
    LogCheckpoint,
    Signer,
    decode_base64,
    encode_base64,
    open_checkpoint,
    open_note,
    read_checkpoint,
    read_number,
    read_verifier,
    sign,
)
from reviewers.ledger.merkle.proofs import ProofError, leaf_hash
from reviewers.ledger.merkle.receipt import open_receipt, write_receipt
from reviewers.ledger.merkle.tree import inclusion_proof, root
from tests.ledger.trees import entries, store_of

VECTORS = Path(__file__).parent / "vectors"
NEUMANN = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
NEUMANN_SEED = decode_base64("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
EXAMPLE = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
NOTES = {"peter-neumann": NEUMANN, "example": EXAMPLE}


def signer(name: str = "desk.example/log/1", seed: int = 1) -> Signer:
    return Signer(name, Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


SIGNER = signer()
STORE = store_of(entries(5))
CHECKPOINT = LogCheckpoint(SIGNER.name, 5, root(STORE.read, 5))
NOTE = CHECKPOINT.sign([SIGNER])
RECEIPT = write_receipt(content=entries(5)[2], index=2, proof=inclusion_proof(STORE.read, 2, 5), note=NOTE)


@pytest.mark.parametrize("name", NOTES)
def test_the_published_notes_open_with_their_keys(name):
    note = (VECTORS / f"{name}.note").read_text()

    assert open_note(note, [read_verifier(NOTES[name])]) == note.partition("\n\n")[0] + "\n"


def test_the_published_key_signs_the_published_note():
    note = (VECTORS / "peter-neumann.note").read_text()
    neumann = Signer("PeterNeumann", Ed25519PrivateKey.from_private_bytes(NEUMANN_SEED))

    assert sign(note.partition("\n\n")[0] + "\n", [neumann]) == note
    assert str(neumann.verifier) == NEUMANN


def test_a_checkpoint_may_name_the_one_before_it():
    chained = LogCheckpoint(CHECKPOINT.origin, CHECKPOINT.size, CHECKPOINT.root, 3)

    assert open_checkpoint(chained.sign([SIGNER]), [SIGNER.verifier]) == chained
    assert str(chained) == f"{CHECKPOINT}after 3\n"
    assert refused(lambda: read_checkpoint(str(chained).replace("after 3", "after 03")))


def test_a_checkpoint_is_its_name_its_size_and_its_root():
    assert NOTE.split("\n")[:4] == ["desk.example/log/1", "5", encode_base64(CHECKPOINT.root), ""]
    assert open_checkpoint(NOTE, [SIGNER.verifier]) == CHECKPOINT == read_checkpoint(NOTE)


def test_a_receipt_shows_the_event_and_where_it_stands():
    receipt = open_receipt(RECEIPT, [SIGNER.verifier])

    assert (receipt.content, receipt.index, receipt.checkpoint) == (entries(5)[2], 2, CHECKPOINT)


def test_the_largest_event_that_is_written_has_a_receipt_that_can_be_checked():
    """A plan of 100,000 answers starts by an event that names each of them."""
    row = {"columns": "0" * 16, "id": "0" * 36, "sha256": "0" * 64, "table": "review_planitem"}
    content = json.dumps([row] * 100_000, separators=(",", ":")).encode()
    note = LogCheckpoint(SIGNER.name, 1, leaf_hash(content)).sign([SIGNER])

    assert open_receipt(write_receipt(content=content, index=0, proof=[], note=note), [SIGNER.verifier]).content == content


def turned(text: str) -> Iterator[str]:
    """The text with each of its bits turned, one at a time, where that is text at all."""
    content = text.encode()
    for bit in range(len(content) * 8):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            yield flipped.decode()
        except UnicodeDecodeError:
            continue


def test_no_checkpoint_with_a_flipped_bit_is_accepted():
    accepted = [text for text in turned(NOTE) if not refused(lambda text=text: open_checkpoint(text, [SIGNER.verifier]))]

    assert accepted == []


def test_no_receipt_with_a_flipped_bit_is_accepted():
    accepted = [text for text in turned(RECEIPT) if not refused(lambda text=text: open_receipt(text, [SIGNER.verifier]))]

    assert accepted == []


def test_no_key_with_a_flipped_bit_opens_anything():
    accepted = [text for text in turned(EXAMPLE) if not refused(lambda text=text: open_note(example_note(), [read_verifier(text)]))]

    assert accepted == []


def example_note() -> str:
    return (VECTORS / "example.note").read_text()


def refused(open_it) -> bool:
    try:
        open_it()
    except (FormatError, ProofError):
        return True
    return False


@given(st.binary(max_size=40), st.data())
def test_base64_has_one_spelling(content, data):
    text = encode_base64(content)
    other = data.draw(st.sampled_from([text + "=", text + "\n", " " + text, text.rstrip("=") + "==", text.replace("=", ""), text + "A==="]))

    assert decode_base64(text) == content
    assert other == text or refused(lambda: decode_base64(other))


def test_bits_that_padding_hides_are_refused():
    assert decode_base64("AA==") == b"\0"
    assert refused(lambda: decode_base64("AB=="))


@pytest.mark.parametrize("text", ["", "-1", "+1", "01", "1 ", "1.0", "٣", "1" * 20, "1_0"])
def test_numbers_have_one_spelling(text):
    assert refused(lambda: read_number(text))


@given(st.text(max_size=200))
def test_whatever_is_sent_is_refused_and_nothing_breaks(text):
    for open_it in (open_note, open_checkpoint, open_receipt):
        assert refused(lambda open_it=open_it: open_it(text, [SIGNER.verifier]))


@given(st.data())
def test_texts_cut_or_doubled_anywhere_are_refused(data):
    start, stop = sorted(data.draw(st.tuples(st.integers(0, len(RECEIPT)), st.integers(0, len(RECEIPT)))))
    changed = data.draw(st.sampled_from([RECEIPT[:start] + RECEIPT[stop:], RECEIPT[:stop] + RECEIPT[start:]]))

    assert changed == RECEIPT or refused(lambda: open_receipt(changed, [SIGNER.verifier]))


def test_a_note_too_long_is_not_even_read():
    assert refused(lambda: open_note("x" * LONGEST_NOTE + "\n\n" + NOTE, [SIGNER.verifier]))


def test_signatures_of_others_are_passed_over_and_their_number_is_bounded():
    others = [signer(f"witness-{seed}", seed) for seed in range(2, 12)]

    assert open_checkpoint(CHECKPOINT.sign([*others, SIGNER]), [SIGNER.verifier]) == CHECKPOINT
    assert refused(lambda: open_checkpoint(CHECKPOINT.sign(others), [SIGNER.verifier]))
    assert refused(lambda: open_checkpoint(CHECKPOINT.sign([*others * 10, SIGNER]), [SIGNER.verifier]))


def test_a_wrong_signature_of_a_known_key_is_never_passed_over():
    other = signer("witness", 2)
    note = CHECKPOINT.sign([SIGNER]) + signer("witness", 2).line("another text\n")

    assert refused(lambda: open_checkpoint(note, [SIGNER.verifier, other.verifier]))


def test_a_receipt_of_another_event_shows_nothing():
    swapped = write_receipt(content=b"another", index=2, proof=inclusion_proof(STORE.read, 2, 5), note=NOTE)

    with pytest.raises(ProofError):
        open_receipt(swapped, [SIGNER.verifier])
    assert leaf_hash(b"another") not in STORE.levels[0]


@pytest.mark.parametrize(
    ("key", "receipt", "status", "said"),
    [
        (str(SIGNER.verifier), RECEIPT, 0, "Sealed as entry 2 of 5 in desk.example/log/1:\nentry 2\n"),
        (str(signer(seed=9).verifier), RECEIPT, 1, "Not proven: None of the known keys has signed this.\n"),
        (str(SIGNER.verifier), RECEIPT.replace("index 2", "index 3"), 1, "Not proven: The leaf is not in this tree at this index.\n"),
        ("no key", RECEIPT, 1, "Not proven: This is no"),
    ],
    ids=["holds", "another key", "another place", "no key"],
)
def test_an_outsider_checks_a_receipt_without_the_site(tmp_path, key, receipt, status, said):
    path = tmp_path / "receipt.txt"
    path.write_text(receipt)

    command = [sys.executable, "-m", "reviewers.ledger.merkle", path, key]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 — our own command

    assert (done.returncode, (done.stdout + done.stderr)[: len(said)]) == (status, said)


def test_what_a_receipt_holds_cannot_control_the_terminal(tmp_path):
    content = "\x1b[2Jnobody\u202e".encode() + b"\xff"
    note = LogCheckpoint("desk.example/log/1", 1, leaf_hash(content)).sign([SIGNER])
    (tmp_path / "receipt.txt").write_text(write_receipt(content=content, index=0, proof=[], note=note))

    command = [sys.executable, "-m", "reviewers.ledger.merkle", tmp_path / "receipt.txt", str(SIGNER.verifier)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 — our own command

    assert done.stdout.splitlines()[1:] == [r"\x1b[2Jnobody\u202e\xff"]
