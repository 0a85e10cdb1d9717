"""The tree: published values, a second implementation, and proofs that hold for what they show and for nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.ledger.merkle.proofs import EMPTY_ROOT, ProofError, check_inclusion, leaf_hash
from reviewers.ledger.merkle.tree import TILE, Frontier, inclusion_proof, root
from tests.ledger.trees import entries, naive_path, naive_root, store_of

VECTORS = Path(__file__).parent / "vectors" / "certificate-transparency.txt"
SIZES = st.integers(1, 40) | st.sampled_from([TILE - 1, TILE, TILE + 1, 2 * TILE, 3 * TILE + 7])
LARGE = TILE * TILE + TILE + 3


def vectors(kind: str) -> list[list[str]]:
    lines = [line.split(" ") for line in VECTORS.read_text().splitlines()]
    return [values for name, *values in lines if name == kind]


CONTENTS = [bytes.fromhex("".join(values)) for values in vectors("entry")]
ROOTS = [bytes.fromhex(value) for (value,) in vectors("root")]


@pytest.mark.parametrize("size", range(1, 9))
def test_the_published_roots_come_out(size):
    assert root(store_of(CONTENTS).read, size) == ROOTS[size - 1]


def test_the_root_over_nothing_is_that_of_no_bytes():
    assert root(store_of([]).read, 0) == EMPTY_ROOT


@pytest.mark.parametrize("values", vectors("inclusion"), ids=lambda values: f"{values[0]}-{values[1]}")
def test_the_published_inclusion_proofs_come_out_and_hold(values):
    index, size, *hashes = int(values[0]), int(values[1]), *map(bytes.fromhex, values[2:])

    assert inclusion_proof(store_of(CONTENTS).read, index, size) == hashes
    check_inclusion(leaf=leaf_hash(CONTENTS[index]), index=index, size=size, proof=hashes, root=ROOTS[size - 1])


@given(SIZES, st.data())
def test_root_and_proofs_equal_those_by_the_definition_however_the_tree_grew(size, data):
    contents = entries(size)
    read = store_of(contents, data.draw(st.lists(st.integers(0, size), max_size=4))).read
    index = data.draw(st.integers(0, size - 1))

    assert root(read, size) == naive_root(contents)
    assert inclusion_proof(read, index, size) == naive_path(index, contents)


@given(SIZES, st.data())
def test_every_proof_holds(size, data):
    contents = entries(size)
    read = store_of(contents).read
    index = data.draw(st.integers(0, size - 1))

    check_inclusion(
        leaf=leaf_hash(contents[index]), index=index, size=size, proof=inclusion_proof(read, index, size), root=naive_root(contents)
    )


def test_an_older_size_is_proven_out_of_the_same_store():
    contents = entries(TILE + 40)
    read = store_of(contents).read

    assert all(root(read, size) == naive_root(contents[:size]) for size in (1, 7, TILE - 1, TILE, TILE + 1))


def test_a_tree_of_three_levels_of_tiles():
    store = store_of(entries(LARGE), cuts=[TILE * TILE - 1])

    assert [len(store.levels[level]) for level in (0, 1, 2)] == [LARGE, TILE + 1, 1]
    for index in (0, TILE * TILE - 1, TILE * TILE, LARGE - 1):
        proof = inclusion_proof(store.read, index, LARGE)
        check_inclusion(leaf=store.levels[0][index], index=index, size=LARGE, proof=proof, root=root(store.read, LARGE))


@given(st.integers(1, 20), st.data())
def test_an_inclusion_proof_shows_nothing_else(size, data):
    contents = entries(size)
    read = store_of(contents).read
    index, other = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size + 3))
    proof, top = inclusion_proof(read, index, size), root(read, size)

    with pytest.raises(ProofError):
        check_inclusion(leaf=leaf_hash(b"another"), index=index, size=size, proof=proof, root=top)
    if other != index:
        with pytest.raises(ProofError):
            check_inclusion(leaf=leaf_hash(contents[index]), index=other, size=size, proof=proof, root=top)
    with pytest.raises(ProofError):
        check_inclusion(leaf=leaf_hash(contents[index]), index=index, size=size, proof=[*proof, top], root=top)
    with pytest.raises(ProofError):
        check_inclusion(leaf=leaf_hash(contents[index]), index=-1, size=size, proof=proof, root=top)


def flips(proof: list[bytes]) -> Iterator[list[bytes]]:
    """The proof with each of its bits turned, one at a time."""
    for number, digest in enumerate(proof):
        for bit in range(len(digest) * 8):
            turned = bytearray(digest)
            turned[bit // 8] ^= 1 << bit % 8
            yield [*proof[:number], bytes(turned), *proof[number + 1 :]]


def test_no_proof_with_a_flipped_bit_holds():
    read = store_of(CONTENTS[:7]).read
    count = 0
    for index in range(7):
        for proof in flips(inclusion_proof(read, index, 7)):
            count += 1
            with pytest.raises(ProofError):
                check_inclusion(leaf=leaf_hash(CONTENTS[index]), index=index, size=7, proof=proof, root=ROOTS[6])
    assert count > 5_000


@pytest.mark.parametrize("proof", [[], [b"short"], [bytes(32)] * 65], ids=["none", "no hash", "too many"])
def test_what_is_no_list_of_hashes_proves_nothing(proof):
    with pytest.raises(ProofError):
        check_inclusion(leaf=leaf_hash(CONTENTS[0]), index=0, size=8, proof=proof, root=ROOTS[7])


@pytest.mark.parametrize(("index", "size"), [(-1, 4), (4, 4), (0, 0)])
def test_no_proof_is_made_of_a_leaf_that_is_not_there(index, size):
    with pytest.raises(ValueError, match="no leaf"):
        inclusion_proof(store_of(entries(4)).read, index, size)


@given(SIZES)
def test_a_tree_that_is_only_added_to_has_the_same_roots_and_stores_the_same(size):
    frontier, store, stored = Frontier(), store_of(entries(size)), []
    for count, leaf in enumerate(store.levels[0], 1):
        stored += frontier.add(leaf)
        if count in (1, size // 2, size):
            assert frontier.root == root(store.read, count)

    assert frontier.size == size
    assert {(level, index): digest for level, index, digest in stored} == {
        (level, index): digest for level, row in store.levels.items() if level for index, digest in enumerate(row)
    }
    assert Frontier().root == EMPTY_ROOT
