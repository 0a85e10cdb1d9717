"""Bundles: a right one is accepted by nothing but its own program, a changed one is refused and says why."""

from __future__ import annotations

import base64
import io
import json
import random
import struct
import subprocess
import sys
import zipfile

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from attribution import canonical_bytes
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Role
from reviewers.ledger.merkle.notes import LogCheckpoint, Signer
from reviewers.ledger.merkle.proofs import leaf_hash
from reviewers.ledger.models import Checkpoint
from reviewers.ledger.sequencer import change_key
from reviewers.reports.exports.bundle.verifier.files import MANIFEST, MOMENT, VerificationFailed, check_archive
from reviewers.reports.exports.bundle.verifier.main import verify
from reviewers.reports.exports.bundle.writer import pack_bundle
from reviewers.web.tenancy import tenant
from tests.factories import BOTH, CITED, NOW, make_item, make_member, make_organisation
from tests.ledger.sealed import by_the_owner, seal_now
from tests.reports.exporting.changing import change_at, changed, doubt_of, leaves_of, lines_of, pack, unpack, with_lines
from tests.reports.exporting.made import make_bundle, make_export, of_item
from tests.review.plans.planning import review
from tests.review.signed import make_signed, sign_as_it_stands, submit


@pytest.fixture(scope="module")
def bundle(committed_for_module) -> bytes:
    """Of three answers, two of them signed; something was sealed before."""
    organisation = make_organisation()
    alice, bob, auditor = (make_member(organisation, role, name) for role, name in PEOPLE)
    make_item(organisation)
    seal_now(organisation.pk)
    make_signed(alice)
    cited = make_item(organisation, **CITED)
    review(cited, bob, note="seen")
    sign_as_it_stands(cited, bob)
    return make_bundle(auditor)


PEOPLE = ((Role.REVIEWER, "Alice Aldous"), (Role.REVIEWER, "Bob Birch"), (Role.AUDITOR, "Audra Ashe"))


@pytest.fixture(scope="module")
def files(bundle) -> dict[str, bytes]:
    return unpack(bundle)


@pytest.fixture
def older_note(bundle) -> str:
    with tenant.across_all():
        return Checkpoint.objects.earliest("size").note


def run(tmp_path, bundle: bytes, *keys: str) -> subprocess.CompletedProcess:
    """Run the bundle's own program on it, in an empty environment and outside of the checkout."""
    (tmp_path / "bundle.zip").write_bytes(bundle)
    (tmp_path / "verify.py").write_bytes(unpack(bundle)["verify.py"])
    command = [sys.executable, "verify.py", "bundle.zip", *keys]
    return subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)  # noqa: S603 — our own


def test_a_bundle_is_verified_by_its_own_program_alone(bundle, tmp_path):
    done = run(tmp_path, bundle)

    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.startswith("This bundle holds.\nIt is the report “All answers” of Quillbrook Care, with 3 answers.")
    assert "2 signatures those that were recorded" in done.stdout
    assert "Withheld:" in done.stdout
    assert "Compare them with those that you have from elsewhere" in done.stdout


def test_a_key_from_elsewhere_is_compared(bundle, files, tmp_path):
    (key,) = json.loads(files["keys.json"])

    assert "The keys are those that you gave." in run(tmp_path, bundle, key).stdout
    refused = run(tmp_path, bundle, "somebody+00000000+AQ==")
    assert (refused.returncode, "is none of those that you trust" in refused.stdout) == (1, True)


def test_a_changed_bundle_is_refused_by_its_own_program(bundle, files, tmp_path):
    done = run(tmp_path, pack({**files, "report.jsonl": files["report.jsonl"].replace(b"elevated", b"moderate")}, relist=False).read())

    assert done.returncode == 1
    assert done.stdout == "This bundle does not hold.\nreport.jsonl: it is not the file that the manifest lists.\n"


def test_without_a_bundle_it_says_what_it_wants(tmp_path, bundle):
    (tmp_path / "verify.py").write_bytes(unpack(bundle)["verify.py"])
    done = subprocess.run([sys.executable, "verify.py"], cwd=tmp_path, env={}, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.startswith("Usage: ")) == (2, True)


def test_what_the_report_tells_is_disclosed_and_the_rest_is_withheld(organisation, alice, auditor):
    item = make_item(organisation, **BOTH)
    submit(item, alice)
    found = unpack(make_bundle(auditor, of_item(item.pk)))

    whole = b"".join(found.values()).decode()
    (frozen,) = (
        event for event in lines_of(found, "events.jsonl") if any("name" in part for part in event["parts"]) and len(event["parts"]) > 2
    )
    names = {part["name"] for part in frozen["parts"] if "name" in part}
    assert "context.safety.risk_level" in names
    assert "context.provider_genome.fee_range" not in names
    assert "$81-$110" not in whole
    assert verify(pack(found)).withheld_parts >= 2


def test_the_same_export_is_the_same_bundle_however_the_log_grows(organisation, alice, auditor):
    make_signed(alice)
    export = make_export(auditor, "bundle")
    seal_now(organisation.pk)
    with pack_bundle(export) as file:
        first = file.read()
    make_item(organisation)
    seal_now(organisation.pk)

    with pack_bundle(export) as file:
        assert file.read() == first


def test_every_value_of_the_report_that_is_changed_is_found(files):
    """300 of them, and the list of files made to agree again."""
    chance = random.Random(7)  # noqa: S311 — a test
    lines = lines_of(files, "report.jsonl")
    paths = leaves_of(lines)

    for path in chance.sample(paths, min(300, len(paths))):
        doubt = doubt_of(changed(files, "report.jsonl", lambda lines, path=path: change_at(lines, path)))
        assert doubt.startswith("report.jsonl"), (path, doubt)


def test_every_byte_that_is_changed_is_found(bundle, files):
    chance = random.Random(8)  # noqa: S311 — a test
    names = sorted(files)

    for _ in range(100):
        name = chance.choice(names)
        content = bytearray(files[name])
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        doubt = doubt_of(pack({**files, name: bytes(content)}, relist=False))
        assert name == MANIFEST or doubt.startswith(name), (name, doubt)
        assert doubt


def test_every_value_of_the_evidence_that_is_changed_is_found(files):
    chance = random.Random(9)  # noqa: S311 — a test
    lines = lines_of(files, "events.jsonl")
    for path in chance.sample(leaves_of(lines), 100):
        doubt = doubt_of(changed(files, "events.jsonl", lambda lines, path=path: change_at(lines, path)))
        assert doubt, path
        assert doubt.startswith(("events.jsonl", "event ")), (path, doubt)


def answer_of(lines):
    return next(line for line in lines if line["part"] == "answer" and line["rows"] and line["rows"][0]["said"])


CHANGES = {
    "another value": (lambda line: line["rows"][0].update(value="moderate"), "value of safety.risk_level: it is not what was frozen"),
    "another question": (lambda line: line.update(question="something else"), "what was asked: it is not what was frozen"),
    "another answer": (lambda line: line.update(response="something else"), "what was answered: it is not what was frozen"),
    "another label": (lambda line: line["rows"][0]["said"][0].update(verdict="wrong"), "it is not what was recorded: verdict"),
    "another note": (lambda line: line["rows"][0]["said"][0].update(note="other"), "it is not what was recorded: note"),
    "another score": (lambda line: line["rows"][0].update(score=0.25), "row of safety.risk_level: the engine found something else"),
    "another name": (lambda line: line["signatures"][0].update(printed_name="Mallory"), "it is not what was recorded: printed_name"),
    "another meaning": (lambda line: line["signatures"][0].update(meaning="approved"), "it is not what was recorded: meaning"),
    "another digest": (lambda line: line.update(digest="sha256:" + "0" * 64), "digest of the record: it is not what was frozen"),
    "a label too many": (
        lambda line: line["rows"][0]["said"].append(dict(line["rows"][0]["said"][0], label="x")),
        "the record of it is not disclosed",
    ),
    "a model's name": (lambda line: line.update(model="model-z"), "it is not the report that was exported"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_changed_is_named(files, name):
    change, reason = CHANGES[name]

    assert reason in doubt_of(changed(files, "report.jsonl", lambda lines: change(answer_of(lines))))


def test_a_missing_answer_a_missing_proof_and_a_missing_event_are_named(files):
    assert "answers are missing" in doubt_of(changed(files, "report.jsonl", lambda lines: lines.pop(1)))
    assert "is not proven to be sealed" in doubt_of(changed(files, "events.jsonl", lambda lines: lines[0].update(proof=[])))
    assert "there is no event of this report's making" in doubt_of(changed(files, "events.jsonl", lambda lines: lines.pop()))
    assert "there is no event that froze" in doubt_of(changed(files, "events.jsonl", lambda lines: lines.pop(0)))


def test_swapped_signatures_are_named(files):
    def swap(lines):
        one, two = (line for line in lines if line["part"] == "answer" and line["signatures"])
        one["signatures"], two["signatures"] = two["signatures"], one["signatures"]

    def swap_names(lines):
        one, two = (line["signatures"][0] for line in lines if line["part"] == "answer" and line["signatures"])
        one["printed_name"], two["printed_name"] = two["printed_name"], one["printed_name"]

    assert doubt_of(changed(files, "report.jsonl", swap)).startswith("report.jsonl")
    assert "it is not what was recorded: printed_name" in doubt_of(changed(files, "report.jsonl", swap_names))


def test_the_checkpoint_of_another_time_or_with_another_signature_is_refused(files, older_note):
    (own,) = json.loads(files["checkpoints.json"])
    text = own.rpartition("\n\n")[0]
    forged = text + "\n\n" + older_note.rpartition("\n\n")[2]

    older = doubt_of(pack({**files, "checkpoints.json": canonical_bytes([older_note])}))
    assert "the event is not proven to be sealed" in older
    assert "The signature of" in doubt_of(pack({**files, "checkpoints.json": json.dumps([forged]).encode()}))


def test_files_too_many_too_few_and_paths_are_refused(files):
    without = {name: content for name, content in files.items() if name != "keys.json"}

    assert "it lacks a file" in doubt_of(pack(without))
    assert "one that does not belong here: ../../evil" in doubt_of(pack({**files, "../../evil": b"x"}))
    assert doubt_of(pack({**files, MANIFEST: b"{}"}, relist=False)).startswith(MANIFEST)


def test_a_label_that_was_changed_in_the_database_is_not_passed_off(committed):
    organisation = make_organisation()
    with tenant.within(organisation.pk):
        auditor = make_member(organisation, Role.AUDITOR)
        make_signed(make_member(organisation))
        with by_the_owner("review_label") as cursor:
            cursor.execute("UPDATE review_label SET note = 'forged'")

        assert "the record of it is not disclosed" in doubt_of(pack(unpack(make_bundle(auditor))))


def test_a_program_or_a_text_of_ones_own_is_refused_though_the_manifest_lists_it(files):
    """Whoever is told to run what lies in the bundle would be told anything by it."""
    program = files["verify.py"].replace(b"This bundle does not hold.", b"This bundle holds.")
    assert doubt_of(pack({**files, "verify.py": program})).startswith("verify.py: it is not the program whose digest was sealed")
    text = files["README.txt"].replace(b"Use a verify.py that you have from elsewhere", b"Use the one in here")
    assert doubt_of(pack({**files, "README.txt": text})).startswith("README.txt: it is not the text")


@pytest.mark.parametrize("added", [b"\n", b"PK\x05\x06" + bytes(18), b"#!/bin/sh\n", bytes(70_000)])
def test_nothing_stands_before_or_behind_the_archive(bundle, added):
    for changed_bundle in (added + bundle, bundle + added, bundle[:-2] + b"\x01\x00x"):
        assert doubt_of(io.BytesIO(changed_bundle))


def test_an_archive_beside_another_is_refused_in_either_order(bundle, files):
    false = pack({**files, "report.jsonl": b"{}\n"}).read()
    assert doubt_of(io.BytesIO(false + bundle)) == "the bundle: something stands before report.jsonl that belongs to no file"
    assert doubt_of(io.BytesIO(bundle + false))


def test_something_between_its_files_is_refused(bundle):
    """With all places behind it corrected, so that any reader finds each file."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        second = sorted(entry.header_offset for entry in archive.infolist())[1]
        start = archive.start_dir
    changed_bundle = bytearray(bundle[:second] + b"hidden" + bundle[second:])
    place, moved = start + 6, 6
    while changed_bundle[place : place + 4] == b"PK\x01\x02":
        name, extra, comment = struct.unpack_from("<HHH", changed_bundle, place + 28)
        (offset,) = struct.unpack_from("<I", changed_bundle, place + 42)
        struct.pack_into("<I", changed_bundle, place + 42, offset + (moved if offset >= second else 0))
        place += 46 + name + extra + comment
    struct.pack_into("<I", changed_bundle, place + 16, start + 6)
    assert "that belongs to no file" in doubt_of(io.BytesIO(bytes(changed_bundle)))


def test_a_second_list_within_the_first_is_refused(bundle):
    """Python follows the end for large archives, others follow the plain one: each would find another report under the same name."""
    forged = io.BytesIO()
    with zipfile.ZipFile(forged, "w") as archive:
        archive.writestr(zipfile.ZipInfo("report.jsonl", MOMENT), b"forged\n")
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        start, count, last = archive.start_dir, len(archive.infolist()), archive.infolist()[-1].filename.encode()
    hidden = forged.getvalue()[:-22]
    at, header = len(bundle) - 22 + 4, len(hidden) - 46 - len(b"report.jsonl")
    shown = bytearray(bundle[:-22])
    struct.pack_into("<H", shown, len(shown) - len(last) - 46 + 30, 4 + len(hidden))
    place = hidden.index(b"PK\1\2") + 42
    shown += struct.pack("<2H", 1, len(hidden)) + hidden[:place] + struct.pack("<I", at) + hidden[place + 4 :]
    size = len(shown) - start
    shown += struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
    shown += struct.pack("<4sIQI", b"PK\6\7", 0, start + size, 1)
    shown += struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(hidden) - header, at + header, 0)

    assert doubt_of(io.BytesIO(bytes(shown))) == "manifest.json: the list says more of it than belongs there"


def test_what_lies_beyond_two_gigabytes_is_one_archive_as_well(monkeypatch):
    """As large as that for the packer and for whoever verifies."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in "abcd":
            archive.writestr(zipfile.ZipInfo(name, MOMENT), b"x" * 60)

    with zipfile.ZipFile(target) as archive:
        assert [bool(entry.extra) for entry in archive.infolist()] == [False, False, True, True]
        check_archive(archive)
    for place in range(target.getvalue().index(b"PK\1\2"), len(target.getvalue())):
        changed_archive = bytearray(target.getvalue())
        changed_archive[place] ^= 0x01
        with (
            pytest.raises((VerificationFailed, zipfile.BadZipFile, ValueError)),
            zipfile.ZipFile(io.BytesIO(bytes(changed_archive))) as archive,
        ):
            check_archive(archive)


@pytest.mark.parametrize("name", [MANIFEST, "keys.json", "checkpoints.json"])
def test_a_small_file_in_another_form_is_refused(files, name):
    """In another form, or in another encoding, which tells some readers something else."""
    told = json.loads(files[name])
    for content in (json.dumps(told, indent=1).encode(), json.dumps(told, separators=(",", ":"), sort_keys=True).encode("utf-16")):
        assert doubt_of(pack({**files, name: content}, relist=name != MANIFEST)) == (
            f"{name}: it says more than belongs there, or in another form"
        )


def test_a_checkpoint_that_is_in_no_list_is_refused(files):
    (note,) = json.loads(files["checkpoints.json"])
    assert doubt_of(pack({**files, "checkpoints.json": canonical_bytes(note)})) == "checkpoints.json: it is no list of checkpoints"


def test_a_manifest_that_says_more_is_refused(files):
    told = canonical_bytes(json.loads(files[MANIFEST]) | {"note": "Approved by the authority"})
    assert doubt_of(pack({**files, MANIFEST: told}, relist=False)).startswith(f"{MANIFEST}: it says more than belongs there")


def test_a_key_that_stands_there_twice_is_refused(files):
    told = canonical_bytes(json.loads(files["keys.json"]) * 2)
    assert doubt_of(pack({**files, "keys.json": told})) == "keys.json: a key stands there twice"


@pytest.mark.parametrize(
    "body", [{"id": []}, {"id": "x", "organisation": []}, {"id": "x", "organisation": "o", "action": "snapshot.frozen"}]
)
def test_a_bundle_of_ones_own_that_says_nonsense_is_refused_with_a_sentence(files, body):
    """Whoever signs it with a key of their own can seal anything."""
    signer, content = Signer("elsewhere.example/log", Ed25519PrivateKey.generate()), canonical_bytes(body)
    event = {"body": base64.b64encode(content).decode(), "log": signer.name, "index": 0, "proof": [], "parts": [], "rows": []}
    made = {
        "keys.json": canonical_bytes([str(signer.verifier)]),
        "checkpoints.json": canonical_bytes([LogCheckpoint(signer.name, 1, leaf_hash(content)).sign([signer])]),
    }

    assert doubt_of(pack(with_lines({**files, **made}, "events.jsonl", [event]))).startswith("the bundle: it says what no bundle says")


def test_a_document_that_no_answer_names_is_refused(files):
    added = canonical_bytes(base64.b64encode(b'{"fields":[]}').decode()) + b"\n"
    changed_bundle = pack({**files, "documents.jsonl": files["documents.jsonl"] + added})
    assert doubt_of(changed_bundle) == "documents.jsonl: there is a document that no answer of the report names"


def evidence(change):
    """A change of the evidence: ``change`` is given the first event with something of a kind, and that."""

    def changed_files(files, kind, name):
        lines = lines_of(files, "events.jsonl")
        event, found = next((line, each) for line in lines for each in line[kind] if name in each)
        change(event, found)
        return with_lines(files, "events.jsonl", lines)

    return changed_files


FORGED = base64.b64encode(b"I never said that.").decode()
OTHERWISE = {
    "other words beside what is withheld": (
        evidence(lambda _, part: part.update(name="user_text", content=FORGED, salt=FORGED)),
        ("parts", "commitment"),
    ),
    "a remark on a part": (evidence(lambda _, part: part.update(note="approved")), ("parts", "name")),
    "a remark on a row": (evidence(lambda _, row: row.update(note="approved")), ("rows", "place")),
    "a row twice, so that fewer seem withheld": (evidence(lambda event, row: event["rows"].append(row)), ("rows", "place")),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_evidence_that_says_more_is_refused(files, name):
    change, where = OTHERWISE[name]
    assert "it does not have what an event has" in doubt_of(pack(change(files, *where)))


@pytest.mark.parametrize("name", ["events.jsonl", "documents.jsonl"])
def test_evidence_in_another_order_or_form_or_twice_is_refused(files, name):
    first, *others = files[name].splitlines(keepends=True)
    for lines in ([*others, first], [b" " + first, *others], [first, first, *others]):
        assert doubt_of(pack({**files, name: b"".join(lines)})), lines[0][:80]


def test_a_key_and_a_signature_of_somebody_else_are_refused(files):
    """Whoever reads the files would take them for those of an authority."""
    stranger = Signer("The-Authority", Ed25519PrivateKey.generate())
    keys, (note,) = json.loads(files["keys.json"]), json.loads(files["checkpoints.json"])
    signed = note + stranger.line(note.rpartition("\n\n")[0] + "\n")
    more = canonical_bytes([*keys, str(stranger.verifier)])

    both = {"keys.json": more, "checkpoints.json": canonical_bytes([signed])}
    assert doubt_of(pack({**files, **both})) == "keys.json: there is a key of a log that has no checkpoint"
    assert doubt_of(pack({**files, "keys.json": more})) == "keys.json: there is a key of a log that has no checkpoint"
    one = {"checkpoints.json": canonical_bytes([signed])}
    assert doubt_of(pack({**files, **one})) == "checkpoints.json: its signatures are not one of each key, and no others"


def test_a_log_of_somebody_else_beside_it_is_refused(files):
    """Its events could tell of a redaction by two people where something is kept back."""
    stranger = Signer("footnote/another", Ed25519PrivateKey.generate())
    body = canonical_bytes({"id": "x", "action": "redaction.approved", "object": {"type": "snapshot", "id": "x"}, "organisation": "x"})
    note = LogCheckpoint("footnote/another", 1, leaf_hash(body), 0).sign([stranger])
    event = {"body": base64.b64encode(body).decode(), "log": "footnote/another", "index": 0, "proof": [], "parts": [], "rows": []}
    logs = {
        "keys.json": canonical_bytes([*json.loads(files["keys.json"]), str(stranger.verifier)]),
        "checkpoints.json": canonical_bytes([*json.loads(files["checkpoints.json"]), note]),
    }
    beside = with_lines({**files, **logs}, "events.jsonl", [*lines_of(files, "events.jsonl"), event])

    assert doubt_of(pack(beside)) == "events.jsonl: there is an event that no answer of the report names"
    assert doubt_of(pack({**files, **logs})) == "checkpoints.json: there is a checkpoint of a log that none of the events is in"


def test_a_key_that_came_later_is_not_in_a_bundle(organisation, alice, auditor):
    make_signed(alice)
    export = make_export(auditor, "bundle")
    seal_now(organisation.pk)
    with pack_bundle(export) as file:
        before = file.read()
    change_key(organisation_id=organisation.pk, by=SYSTEM, now=NOW)

    with pack_bundle(export) as file:
        assert file.read() == before


def test_the_same_name_twice_is_refused(files):
    target = pack(files)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(target, "a") as archive:
        archive.writestr(zipfile.ZipInfo("report.jsonl", MOMENT), b"{}\n")
    assert "it lacks a file, or has one that does not belong here: report.jsonl" in doubt_of(target)


def test_any_byte_of_what_is_no_file_is_missed(bundle):
    """Of each header, of the list and of its end, each one; some of what is packed, unless it unpacks to the same all the same.

    A repeated text can be packed in more than one way, so another byte may stand for the same words.
    """
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        headers = [(entry.header_offset, 30 + len(entry.filename)) for entry in archive.infolist()]
        start = archive.start_dir
    places = [place for begin, length in headers for place in range(begin, begin + length)] + list(range(start, len(bundle)))
    packed = random.Random(62).sample(range(start), 60)  # noqa: S311 — the same ones each time
    accepted = []
    for place in [*places, *packed]:
        changed_bundle = bytearray(bundle)
        changed_bundle[place] ^= 0xFF
        is_same = place in packed and not doubt_of(io.BytesIO(bytes(changed_bundle))) and unpack(bytes(changed_bundle)) == unpack(bundle)
        if not is_same and not doubt_of(io.BytesIO(bytes(changed_bundle))):
            accepted.append(place - start)
    assert accepted == []


def test_half_of_a_character_in_the_name_of_a_field_keeps_no_bundle_from_being_made(organisation, auditor):
    item = make_item(organisation, context={"safety": {"risk \ud83d": "elevated"}, "\ud83d": {"risk_level": "elevated"}})

    assert verify(io.BytesIO(make_bundle(auditor, of_item(item.pk, all_fields=True)))).values > 2
