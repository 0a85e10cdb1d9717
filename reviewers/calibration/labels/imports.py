"""Label sets from elsewhere: exports of this site, and labelled turns; and adding them to the labels of reviewers.

A labelled turn is an answer, its context, and labels on some of its fields. Its labels are on the engine's present attribution of the turn;
the turn itself is not stored.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings

from attribution import InputError, attribute, encode, read_json
from attribution.calibration import NOTHING, Imported, Observation, Scope, Stream, label_set
from reviewers.calibration.combinations import ENGINE, scope_of
from reviewers.calibration.labels.dataset import Dataset, build_dataset
from reviewers.calibration.labels.label_sets import JSONMapping, NotLabelsError, is_export, read_export, take_object, take_text, take_truth
from reviewers.calibration.labels.queries import hidden_answers
from reviewers.calibration.models import ImportedSet, Origin, SeenCombination
from reviewers.review.visibility import is_under_blind_review
from reviewers.snapshots.hooks import Combination, combination_of

_LONGEST = 200
_TEXT = 5_000_000


Row = Mapping[str, Any]
Key = tuple[str, str]
"""The section and path of a field."""

_NO_ROW: Row = {}


@dataclass(frozen=True, slots=True)
class ImportedLabel:
    """A label, and the engine's row of its field."""

    row: Row
    section: str
    path: str
    is_used: bool | None


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """A labelled turn: its name, the combination it names, and its labels, each with the engine's row."""

    id: str
    conversation: str
    names: Mapping[str, str]
    labels: Sequence[ImportedLabel]

    def named(self, names: Mapping[str, str]) -> LabelledTurn:
        """Return the turn with these names of its combination."""
        return replace(self, names={**self.names, **names})

    def observations(self, message: str) -> Iterator[Observation]:
        """Return the observations of its labels, for a message of that name."""
        return (_observe(each, message, self.conversation or message) for each in self.labels)


def read_turn(line: bytes, number: int) -> LabelledTurn:
    """Return a turn with its labels; raise ``InputError`` with the place of an error."""
    data = take_object(read_json(line), "")
    labels = data.get("gold")
    if not isinstance(labels, list):
        raise InputError("gold", "must be a list of labels")
    context = take_object(data.get("context"), "context")
    asked = take_text(data, "user_text", "", longest=_TEXT, default="")
    found = attribute(
        response=take_text(data, "response", "", longest=_TEXT),
        context=context,
        user_text=asked,
        field_citations=data.get("field_citations") or (),
    )
    return LabelledTurn(
        id=take_text(data, "id", "", longest=_LONGEST, default=f"line {number}"),
        conversation=take_text(data, "conversation_id", "", longest=_LONGEST, default=""),
        names={name: take_text(data, name, "", longest=_LONGEST, default="") for name in ("model", "prompt_version", "schema_version")},
        labels=list(_read_labels(labels, context, encode(found)["fields"])),
    )


def _read_labels(labels: list[Any], context: JSONMapping, rows: Sequence[Row]) -> Iterator[ImportedLabel]:
    read: dict[Key, bool | None] = {}
    for number, each in enumerate(labels):
        place = f"gold.{number}"
        label = take_object(each, place)
        key = (take_text(label, "section", place), take_text(label, "path", place))
        if key in read:
            raise InputError(place, "the field has a label already")
        if not _is_there(context, *key):
            raise InputError(place, "the context has no such field")
        read[key] = take_truth(label, "referenced", place)
    surest = _surest(rows, read)
    for key, is_used in read.items():
        yield ImportedLabel(surest.get(key, _NO_ROW), *key, is_used)


def _surest(rows: Sequence[Row], labels: Mapping[Key, Any]) -> dict[Key, Row]:
    """Return the row with the highest score for each label.

    A row without a label belongs to the nearest label above its path: one field in a label may be several rows here.
    """
    found: dict[Key, Row] = {}
    lengths = sorted({len(path) for _, path in labels if path}, reverse=True)
    for row in rows:
        key = _nearest(row["section"], row["path"], labels, lengths)
        if key and row.get("score", 0) >= found.get(key, _NO_ROW).get("score", 0):
            found[key] = row
    return found


def _nearest(section: str, path: str, labels: Mapping[Key, Any], lengths: Sequence[int]) -> Key | None:
    """Return the label of a path, or else the nearest above it. ``lengths`` are those of all labels, the longest first.

    Nothing else of the path is looked up, because a key may have very many dots.
    """
    ends = (length for length in lengths if length == len(path) or path[length : length + 1] == ".")
    return next((key for end in ends if (key := (section, path[:end])) in labels), None)


def _is_there(context: JSONMapping, section: str, path: str) -> bool:
    place: Any = context.get(section)
    for key in path.split("."):
        if isinstance(place, Mapping) and key in place:
            place = place[key]
        elif isinstance(place, list) and key.isascii() and key.isdecimal() and int(key[:9]) < len(place):
            place = place[int(key[:9])]
        else:
            return False
    return True


def _observe(label: ImportedLabel, message: str, conversation: str) -> Observation:
    row = label.row
    evidence = row.get("evidence") or {}
    score = float(row.get("score", 0))
    return Observation(
        id=f"{message}/{label.section}.{label.path}",
        message=message,
        conversation=conversation,
        section=label.section,
        path=label.path,
        field_type=row.get("field_type", NOTHING),
        method=row.get("method", NOTHING),
        rule=row.get("rule", NOTHING),
        score=score,
        uncapped_score=float(evidence.get("uncapped_score", score)),
        is_used=label.is_used,
        is_cited=bool(row.get("cited")),
        fired=(f"{evidence['method']}.{evidence['rule']}",) if evidence else (),
    )


Numbered = tuple[int, bytes]
"""A line and its number in the file."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """The labels of one combination in a file."""

    origin: Origin
    combination: Combination
    scope: Scope
    gathered: Dataset


def read_labels(lines: Iterable[Numbered], names: Mapping[str, str] | None) -> Iterator[Incoming | LabelledTurn]:
    """Yield the one set of an export, or the turns of a file one by one; raise ``NotLabelsError`` with line and place.

    ``names`` replace the combination that turns name.
    """
    numbered = iter(lines)
    first = next(numbered, None)
    if first is None:
        raise NotLabelsError("there is nothing in it")
    everything = chain([first], numbered)
    if is_export(first[1]):
        yield _read_export(line for _, line in everything)
        return
    for number, line in everything:
        try:
            turn = read_turn(line, number)
        except InputError as error:
            raise NotLabelsError(f"line {number}: {error}") from error
        yield turn if names is None else turn.named(names)


def sets_of_turns(turns: Iterable[tuple[LabelledTurn, str]], organisation: str) -> list[Incoming]:
    """Return turns, each with the name of its message, as sets by combination; raise ``NotLabelsError`` if two have one name."""
    by_combination: dict[Combination, dict[str, Observation]] = {}
    for turn, message in turns:
        known = by_combination.setdefault(combination_of(turn.names), {})
        for each in turn.observations(message):
            if each.id in known:
                raise NotLabelsError(f"two turns are called {turn.id}")
            known[each.id] = each
    return [_as_set(combination, list(known.values()), organisation) for combination, known in by_combination.items()]


def digest_of(incoming: Incoming) -> bytes:
    """Return the digest of the usable labels; raise ``NotLabelsError`` if there are none."""
    labels = label_set(incoming.gathered.observations)
    if not labels.labels:
        raise NotLabelsError("it holds no label that says anything")
    return bytes.fromhex(labels.digest.removeprefix("sha256:"))


def _read_export(lines: Iterable[bytes]) -> Incoming:
    read = read_export(lines)
    if read.scope.engine != ENGINE:
        raise NotLabelsError(f"line 1: scope.engine: the labels are on scores of {read.scope.engine}; here {ENGINE} gives them")
    learned, held = read.gathered.observations, read.gathered.held
    if label_set(learned).digest != read.digest or (label_set(held).digest if held else None) != read.audit:
        raise NotLabelsError("the labels do not give the digest in line 1: the file is not as it was exported")
    scope, everything = read.scope, replace(read.gathered, observations=[*learned, *held], held=())
    return Incoming(Origin.EXPORT, Combination(scope.model, scope.prompt, scope.schema), scope, everything)


def _as_set(combination: Combination, observations: list[Observation], organisation: str) -> Incoming:
    scope = Scope(organisation, combination.model, combination.prompt_version, combination.schema_version, ENGINE)
    return Incoming(Origin.TURNS, combination, scope, Dataset(observations, {}, {}))


_GZIP = b"\x1f\x8b"


def lines_of_file(file: BinaryIO) -> Iterator[Numbered]:
    """Return the non-empty lines of an upload with their numbers; raise ``NotLabelsError`` if it is too large, also when decompressed.

    They are cut one by one: millions of short lines take far more memory than the file.
    """
    content = _unfolded(_bounded(file))
    return ((number, line.removesuffix(b"\n")) for number, line in enumerate(io.BytesIO(content), start=1) if line.strip())


def _unfolded(content: bytes) -> bytes:
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as unfolding:
            return _bounded(unfolding)
    except (EOFError, OSError, zlib.error) as error:
        raise NotLabelsError("the file is damaged: it is no whole gzip file") from error


def _bounded(file: BinaryIO | gzip.GzipFile) -> bytes:
    content: bytes = file.read(settings.LARGEST_RECORD + 1)
    if len(content) > settings.LARGEST_RECORD:
        most = settings.LARGEST_RECORD // (1024 * 1024)
        raise NotLabelsError(f"it is larger than {most} MB; the command import_labels takes larger ones")
    return content


def build_dataset_with_imports(seen: SeenCombination, chosen: Collection[UUID]) -> Dataset:
    """Return the data set of a combination with the chosen imported sets; sets of another combination are ignored.

    Labels on answers under blind review are left out, like those of reviewers: each has what the engine says of its row.
    """
    own = build_dataset(seen)
    if not chosen:
        return own
    sets = ImportedSet.objects.filter(combination=seen, pk__in=list(chosen)).order_by("-id")
    return added(own, list(sets), scope_of(seen))


def added(own: Dataset, sets: Sequence[ImportedSet], scope: Scope) -> Dataset:
    """Return a data set with imported sets added. A field that has a label already gets no other: reviewers take precedence.

    Imported labels have weight 1 and a stream of their own: they were drawn from other answers than those stored here.
    """
    observations, told = list(own.observations), list(own.imports)
    members = dict(own.members)
    taken = {each.id for each in observations} | own.excluded.keys()
    for each in sets:
        read = read_export(zlib.decompress(bytes(each.document)).splitlines()).gathered
        known = [one for one in read.observations if one.id not in taken and one.is_used is not None]
        blind = hidden_answers((one.message for one in known), is_under_blind_review())
        new = [_as_imported(one, scope) for one in known if one.message not in blind]
        observations += new
        members |= {one.id: read.members[one.id] for one in new}
        taken |= {one.id for one in new}
        told.append(Imported(each.source, f"sha256:{bytes(each.digest).hex()}", len(new)))
    return Dataset(observations, own.excluded, members, [each for each in told if each.labels])


def imports_of(record: Mapping[str, Any]) -> tuple[Imported, ...]:
    """Return the imported sets in the record of a profile."""
    return tuple(Imported(**each) for each in record["labels"].get("imports", ()))


def count_imported(record: Mapping[str, Any]) -> int:
    """Return the number of imported labels in the record of a profile."""
    return sum(each.labels for each in imports_of(record))


def _as_imported(observation: Observation, scope: Scope) -> Observation:
    return replace(observation, stream=Stream.IMPORTED, stratum="", inclusion=1.0, scope=scope)
