"""Profiles: a versioned, immutable set of scores, thresholds, registry and calibration, read from data."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pkgutil import get_data
from typing import Any

from attribution.concepts import Synonyms, read_concepts, read_synonyms
from attribution.confidence import Calibration, read_calibration
from attribution.errors import ProfileError
from attribution.model import FieldType
from attribution.schema.registry import Registry, Section
from attribution.text import stem, words_of

PARAPHRASES = ("close_paraphrase", "paraphrase", "loose_paraphrase", "same_topic")
"""The rules for long texts in other words, the strongest first."""

_PREFIX = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of the rules. Shares and caps are between 0 and 1, lengths count characters.

    ``tokens_per_marker``: more than one marker per so many words of clean text is over-cited. ``section_completeness``: a section
    less complete than this is withheld from the prompt and from matching. ``close_paraphrase``, ``paraphrase``,
    ``loose_paraphrase`` and ``same_topic`` are the strengths from which on a long text is found by these rules.
    """

    summary_share: float
    summary_cap: float
    common_word_cap: float
    tokens_per_marker: int
    section_completeness: float
    summary_length: int
    close_paraphrase: float
    paraphrase: float
    loose_paraphrase: float
    same_topic: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words too common to mean a field by themselves; words without content; those and the words that every question has.

    ``evaluating`` are the stems of words that judge without saying what; ``synonyms`` are groups of words for one another.
    """

    common: frozenset[str]
    stop: frozenset[str]
    question_stop: frozenset[str]
    evaluating: frozenset[str]
    synonyms: Synonyms


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Everything an attribution depends on besides the turn and the engine's version.

    ``scores`` maps method and rule to a raw score. ``calibration`` says what reviewers' labels made of scores, and is empty while
    there are too few: then a confidence equals its score. ``cutoff`` is the confidence that labels chose as one from which rows are relied
    on; it hides no row. ``confidence_words`` say a confidence without a figure, each from its share on. ``data`` is what the profile was
    read from, and ``id`` a digest of it.
    """

    name: str
    version: int
    registry: Registry
    vocabulary: Vocabulary
    scores: Mapping[tuple[str, str], float]
    cited_score: float
    thresholds: Thresholds
    calibration: Calibration
    cutoff: float | None
    confidence_words: tuple[tuple[float, str], ...]
    data: Mapping[str, Any]
    id: str

    @property
    def is_calibrated(self) -> bool:
        """True if confidences rest on labels."""
        return bool(self.calibration.estimates)

    def score(self, method: FieldType, rule: str) -> float:
        """The raw score of a rule."""
        return self.scores[method, rule]

    def in_words(self, confidence: float) -> str:
        """A confidence without a figure; empty where the profile has no words for it."""
        return next((words for share, words in self.confidence_words if confidence >= share), "")


def calibrated(profile: Profile, calibration: Mapping[str, Any]) -> Profile:
    """The profile with another calibration, the document of ``attribution.calibration.record``. A profile of its own, with its own id."""
    return read_profile({**profile.data, "calibration": calibration})


def read_profile(data: Mapping[str, Any]) -> Profile:
    """A profile from its data, the shape of ``profiles/default.json``. Raises ``ProfileError`` naming the place."""
    try:
        return Profile(
            name=_text(data["name"], "name"),
            version=_whole_number(data["version"], "version"),
            registry=_read_registry(data),
            vocabulary=_read_vocabulary(data),
            scores=_read_scores(_object(data["scores"], "scores")),
            cited_score=_share(data["cited_score"], "cited_score"),
            thresholds=_read_thresholds(_object(data["thresholds"], "thresholds"), _object(data["calibration"], "calibration")),
            calibration=read_calibration(data["calibration"]),
            cutoff=_read_cutoff(_object(data["calibration"], "calibration")),
            confidence_words=_read_confidence_words(_object(data.get("confidence_words", {}), "confidence_words")),
            data=data,
            id=_identify(data),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, ProfileError):
            raise
        raise ProfileError(f"profile: {type(error).__name__}: {error}") from error


@cache
def default_profile() -> Profile:
    """The profile that is shipped, without calibration."""
    return read_profile(_shipped())


@cache
def _shipped() -> Mapping[str, Any]:
    """The default profile with the concepts and synonyms that are beside it, in one object."""
    shipped = {key: value for name in ("default", "concepts") for key, value in _read_file(name).items()}
    return {**shipped, "synonyms": _read_lines("synonyms")}


def _read_file(name: str) -> Mapping[str, Any]:
    shipped: Mapping[str, Any] = json.loads(get_data("attribution", f"profiles/{name}.json") or b"")
    return shipped


def _read_lines(name: str) -> list[str]:
    return (get_data("attribution", f"profiles/{name}.txt") or b"").decode().splitlines()


def _identify(data: Mapping[str, Any]) -> str:
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "cp_" + hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _read_vocabulary(data: Mapping[str, Any]) -> Vocabulary:
    common, stop, question = (frozenset(_texts(data[key], key)) for key in ("common_words", "stop_words", "question_words"))
    evaluating = _stems(_texts(data["evaluating_words"], "evaluating_words"))
    return Vocabulary(common, stop, stop | question, evaluating, read_synonyms(_texts(data["synonyms"], "synonyms")))


def _read_registry(data: Mapping[str, Any]) -> Registry:
    return Registry(
        sections=_read_sections(data["sections"]),
        types={name: FieldType(kind) for kind, names in _lists(data, "types") for name in names},
        type_suffixes=tuple((suffix, FieldType(kind)) for kind, names in _lists(data, "type_suffixes") for suffix in names),
        enum_values={name: tuple(values) for name, values in _lists(data, "enum_values")},
        value_phrases={name: tuple(map(words_of, phrases)) for name, phrases in _lists(data, "value_phrases")},
        concepts=read_concepts(data),
        generic_label_stems=_stems(_texts(data["generic_label_words"], "generic_label_words")),
    )


def _read_sections(data: Any) -> tuple[Section, ...]:
    if not isinstance(data, list):
        raise ProfileError("profile: sections: must be a list")
    sections = tuple(_read_section(_object(section, f"sections.{number}"), f"sections.{number}") for number, section in enumerate(data))
    for what, values in (("name", [each.name for each in sections]), ("prefix", [each.prefix for each in sections])):
        twice = [value for value, count in Counter(values).items() if count > 1]
        if twice:
            raise ProfileError(f"profile: sections: the {what} {twice[0]} is used twice")
    return sections


def _read_section(data: Mapping[str, Any], place: str) -> Section:
    """A section; its prefix and fields are compared without regard to case."""
    prefix = _text(data["prefix"], f"{place}.prefix").upper()
    if not _PREFIX.fullmatch(prefix):
        raise ProfileError(f"profile: sections.{data['name']}: {prefix!r} is no prefix: letters, digits and underscores, a letter first")
    return Section(
        name=_text(data["name"], f"{place}.name"),
        prefix=prefix,
        title=_text(data["title"], f"{place}.title"),
        fields=frozenset(field.lower() for field in _texts(data["fields"], f"{place}.fields")),
        heading_stems=_stems(_texts(data["heading_words"], f"{place}.heading_words")),
        provider_name=_text(data.get("provider_name", ""), f"{place}.provider_name").lower(),
    )


def _stems(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for phrase in phrases for word in words_of(phrase))


def _read_thresholds(data: Mapping[str, Any], calibration: Mapping[str, Any]) -> Thresholds:
    """Return the profile's thresholds, replaced by those that its calibration has chosen."""
    data = {**data, **_object(calibration.get("thresholds", {}), "calibration.thresholds")}
    thresholds = Thresholds(**{field.name: data[field.name] for field in fields(Thresholds)})
    for name in ("summary_share", "summary_cap", "common_word_cap", "section_completeness", *PARAPHRASES):
        _share(getattr(thresholds, name), f"thresholds.{name}")
    for name in ("tokens_per_marker", "summary_length"):
        _whole_number(getattr(thresholds, name), f"thresholds.{name}")
    return thresholds


def _read_cutoff(calibration: Mapping[str, Any]) -> float | None:
    chosen = calibration.get("thresholds", {}).get("confidence")
    return None if chosen is None else _share(chosen, "calibration.thresholds.confidence")


def _read_scores(table: Mapping[str, float]) -> dict[tuple[str, str], float]:
    missing = sorted(_shipped()["scores"].keys() - table.keys())
    if missing:
        raise ProfileError(f"profile: scores.{missing[0]}: is missing")
    return _read_shares(table, "scores")


def _read_shares(table: Mapping[str, float], place: str) -> dict[tuple[str, str], float]:
    """``"enum.whole_word": 0.95`` by method and rule."""
    shares: dict[tuple[str, str], float] = {}
    for name, share in table.items():
        method, _, rule = name.partition(".")
        shares[method, rule] = _share(share, f"{place}.{name}")
    return shares


def _read_confidence_words(table: Mapping[str, Any]) -> tuple[tuple[float, str], ...]:
    """``"likely": 0.75``, the surest first."""
    return tuple(sorted(((_share(share, f"confidence_words.{words}"), words) for words, share in table.items()), reverse=True))


def _object(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProfileError(f"profile: {place}: must be an object")
    return value


def _lists(data: Mapping[str, Any], key: str) -> list[tuple[str, list[str]]]:
    """The names and texts of an object of lists."""
    return [(name, _texts(texts, f"{key}.{name}")) for name, texts in _object(data[key], key).items()]


def _texts(value: Any, place: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ProfileError(f"profile: {place}: must be a list of texts")
    return value


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise ProfileError(f"profile: {place}: must be text")
    return value


def _whole_number(value: Any, place: str) -> int:
    if type(value) is not int or value < 1:
        raise ProfileError(f"profile: {place}: {value!r} is not a whole number from 1 up")
    return value


def _share(value: float, place: str) -> float:
    """A number between 0 and 1, to four decimals: so are all that the engine writes."""
    if type(value) not in (int, float):
        raise ProfileError(f"profile: {place}: {value!r} is no number")
    if not 0 <= value <= 1:
        raise ProfileError(f"profile: {place}: {value} is not between 0 and 1")
    return round(float(value), 4)
