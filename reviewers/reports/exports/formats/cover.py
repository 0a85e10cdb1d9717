"""The cover, the figures and the contents of a report in words, and what was not checked. Pages, PDFs and workbooks draw them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db.models import TextChoices
from msgspec import Struct

from reviewers.reports.disclosure.profiles import TOLD, DisclosureProfile
from reviewers.reports.exports.formats.wording import combination, day, finding_title, shortly, times
from reviewers.reports.exports.report import Answer, Closing, Header
from reviewers.reports.exports.schema import Counted, Summary
from reviewers.reports.exports.summary import CONTROL, NUMBERS, TOLD_APART, UNLABELLED, found_in, nothing, review_of, summary_of
from reviewers.review.models import CitationVerdict, ClaimVerdict, Verdict

HOW_TO_CHECK = (
    "The log of the organisation has an event of the making of this report, which commits to the SHA-256 of the file. A changed copy has "
    "another one. Compute it with any tool, and have the organisation show its own: it stands beside the reason on the export’s page, and "
    "in the event “finished a report” of the ledger."
)
TERMS = (
    ("Correct", "The answer uses this field and says what the record says."),
    ("Misstated", "The answer speaks of the field but gives it differently, or denies it."),
    ("Wrong", "The answer does not use the field: the program took other words for it."),
    ("Can’t judge", "Neither the answer nor the record tells."),
    ("Supports, does not say", "A reviewer’s label of a citation: its source says what it is cited for, or does not."),
    ("Contradicts", "A reviewer’s label of a citation: its source says otherwise."),
    ("Not in the record", "A reviewer’s label of words of the answer: it states them, and nothing in the record or in a source says so."),
    ("Cited", "The assistant itself marked the field as its source."),
    ("Found", "The program sees the value of the field in the text of the answer."),
    ("Kappa", "How far reviewers agree: 1 is always, 0 as by chance. It cannot be told where too few labelled the same."),
    ("[1]", "Behind words of an answer: the number of the field or document that they cite, as in the tables below it."),
    ("At 52–68", "The place of words in an answer, counted in characters from its beginning."),
    ("Score", "A figure of the rule that found a row. It puts rows in order and is no chance of being right."),
    ("Confidence", "A score that was calibrated with reviewers’ labels: the share of such rows that were right, with its interval."),
    ("Contradicts the record", "The program reads another value in the answer than the record had."),
    ("Signature: holds, void", "Nothing of what was signed has changed since; or something has, and the signature stays on file."),
    ("Decision", "What several reviewers’ labels come to: by themselves, or by a lead where they differ."),
)
"""The words of the report, explained."""

_SOURCES = "A citation of a document that a check or a reviewer does not bear out"
_FOUND = {
    "contradicted": ("Contradict the record, as the program reads them", "contradicts the record"),
    "misstated": ("With a field labelled “misstated”", "a field misstated"),
    "wrong": ("With a row labelled “wrong”", "a row labelled wrong"),
    "not_in_record": ("With words that a reviewer found not in the record", "a claim not in the record"),
    "absent": ("Cite a field that the record does not have or the model was not shown", "cites a field that is not there"),
    "unsupported": (_SOURCES, "a citation not borne out"),
    "other": ("With another finding", ""),
    "nothing": ("No finding", "no finding"),
}
_MOST_COMBINATIONS = 5
_DATES = "Moments are in UTC, but for signatures, which have the signer’s own time zone beside them."
_CUT_DATES = "Cut to their year: each stands as the first day of its year."
_REVIEWED = {"reviewed": "yes", "partly": "in part", "unreviewed": "no"}


class FigureRow(Struct, frozen=True):
    """A figure: its number, its share of all in words, and the answers that it is about.

    ``is_part`` is true if it counts some of those above once more.
    """

    label: str
    count: int
    share: str = ""
    numbers: str = ""
    is_part: bool = False


class FigureTable(Struct, frozen=True):
    """A table of figures."""

    title: str
    rows: tuple[FigureRow, ...]
    has_shares: bool = False


class ContentsLine(Struct, frozen=True):
    """An answer in the contents."""

    number: int
    name: str
    client: str
    given: str
    found: str
    reviewed: str
    signed: str


def facts_of(head: Header, end: Closing) -> list[tuple[str, str]]:
    """Return the facts of the cover: who asked for the report, when and why, what is in it, and how to check it."""
    facts = request_of(head)
    facts += [("Text", _disclosure(DisclosureProfile.FULL.value))] if "Text" not in dict(head.facts) else []
    facts += [(term, _disclosure(said) if term == "Text" else said) for term, said in head.facts]
    facts += [("Answers", _extent(end)), ("Fields", _fields(head))]
    facts += [("Model, prompt, engine", "\n".join(_combinations(end)))] if end.calibration else []
    is_cut = dict(head.facts).get("Text") == DisclosureProfile.DEIDENTIFIED
    return [*facts, ("Dates", _CUT_DATES if is_cut else _DATES)]


def request_of(head: Header) -> list[tuple[str, str]]:
    """Return the organisation, and who asked for the report, when and why."""
    facts, asked = [("Organisation", head.organisation)], head.requested
    if asked:
        facts += [("Asked for by", f"{asked.by}, {asked.role}"), ("Asked for on", shortly(asked.at))]
        facts += [("Why", asked.reason or "left out of this file; it is kept with the export")]
    return facts


def _combinations(end: Closing) -> Iterator[str]:
    for each in end.calibration[:_MOST_COMBINATIONS]:
        yield f"{combination(each)}: {times(each.answers, 'answer')} under profile {each.profile} ({each.state})"
    if (more := len(end.calibration) - _MOST_COMBINATIONS) > 0:
        yield f"and {more} more, which stand at the end"


def _disclosure(profile: str) -> str:
    said, told = TOLD[DisclosureProfile(profile)]
    return f"{said.lower()}, {told}" if profile == DisclosureProfile.FULL else f"{said.lower()}, as explained below"


def _extent(end: Closing) -> str:
    first, last = day(end.summary.since), day(end.summary.until)
    when = f", given on {first}" if first == last else f", given from {first} to {last}"
    return f"{end.answers:,}{when if end.answers else ''}"


def _fields(head: Header) -> str:
    return "all of the record" if head.all_fields else "those that an answer draws on; the others are counted, not shown"


def opening_of(end: Closing) -> str:
    """Return the figures that matter most, in a sentence or two."""
    if not end.answers:
        return "There are no answers in this report."
    counts = _counts(end.summary.answers)
    states = [f"{count(counts, 'reviewed')} reviewed", f"{count(counts, 'unreviewed')} not reviewed"]
    if count(counts, "partly"):
        states.insert(1, f"{count(counts, 'partly')} reviewed in part")
    if count(counts, "blind"):
        states.append(f"{count(counts, 'blind')} under blind review, of which nothing more is told here")
    against = count(counts, "contradicted")
    return f"Of {times(end.answers, 'answer')}: {', '.join(states)}. In {against}, the program reads something other than the record has."


def figures_of(end: Closing) -> list[FigureTable]:
    """Return the tables of figures. Those about labels, decisions and findings are left out where there are none."""
    summary = end.summary
    tables = [_review_table(end), _found_table(end), _field_table(summary), _citation_table(summary), _decision_table(summary)]
    tables += [FigureTable("Labels of words", _picked(summary.claims, _labels_of(ClaimVerdict)))]
    tables += [_finding_table(summary), _signature_table(end)]
    return [each for each in tables if any(row.count for row in each.rows)]


def _review_table(end: Closing) -> FigureTable:
    pick = _Picker(end.summary.answers, end.answers)
    rows = [
        pick.row("reviewed", "Reviewed: all reviews are in"),
        pick.row("partly", "Reviewed in part: more reviews are due"),
        pick.row("several", "Of these, by two or more reviewers", is_part=True),
        pick.row("unreviewed", "Not reviewed"),
        pick.row("blind", "Under blind review: nothing more is told here"),
        pick.row("redacted", "Redacted in part", is_part=True),
        pick.row("held", "Under legal hold", is_part=True),
    ]
    kept = [each for each in rows if each.count or each.label.startswith(("Reviewed:", "Not"))]
    return FigureTable("Answers", (*kept, FigureRow("All answers", end.answers)), has_shares=True)


def _found_table(end: Closing) -> FigureTable:
    told = end.answers - count(_counts(end.summary.answers), "blind")
    pick = _Picker(end.summary.answers, told)
    rows = [pick.row(name, label) for name, (label, _) in _FOUND.items()]
    kept = [each for each in rows if each.count or each.label.startswith("Contradict")]
    return FigureTable("What was found, in answers", tuple(kept), has_shares=True)


def _field_table(summary: Summary) -> FigureTable:
    names = _labels_of(Verdict) | {UNLABELLED: "Rows without a label", CONTROL: "Attention checks, which are counted nowhere else"}
    return FigureTable("Labels of fields", _picked(summary.fields, names))


def _citation_table(summary: Summary) -> FigureTable:
    names = _labels_of(CitationVerdict) | {UNLABELLED: "Citations without a label"}
    return FigureTable("Labels of citations", _picked(summary.citations, names))


def _labels_of(verdicts: type[TextChoices]) -> dict[str, str]:
    return {value: str(label) for value, label in verdicts.choices if value != Verdict.NONE}


def _decision_table(summary: Summary) -> FigureTable:
    names = {
        "decided": "By the labels alone",
        "by_a_lead": "By a lead",
        "undecidable": "Reviewers agree that it cannot be judged",
        "conflict": "Not decided yet: reviewers differ",
    }
    pick = _Picker(summary.decisions, 0)
    return FigureTable("Decisions where several reviewed", tuple([row for row in (pick.row(*each) for each in names.items()) if row.count]))


def _finding_table(summary: Summary) -> FigureTable:
    rows = [FigureRow(finding_title(each.name), each.count, "", _numbers(each, 0)) for each in summary.findings]
    return FigureTable("Findings of the program by kind, in answers", tuple(rows))


def _signature_table(end: Closing) -> FigureTable:
    pick = _Picker(end.summary.answers, end.answers)
    rows = [
        pick.row("signed", "Signed, and a signature holds"),
        pick.row("void", "Signed, and no signature holds"),
        pick.row("unsigned", "Not signed"),
    ]
    return FigureTable("Signatures, in answers", tuple(rows), has_shares=True)


class _Picker:
    def __init__(self, counted: Iterable[Counted], total: int) -> None:
        self._counts, self._total = _counts(counted), total

    def row(self, name: str, label: str, *, is_part: bool = False) -> FigureRow:
        each = self._counts.get(name, nothing(name))
        share = f"{100 * each.count / self._total:.0f}%" if self._total else ""
        return FigureRow(label, each.count, share, _numbers(each, self._total), is_part)


def _picked(counted: Iterable[Counted], names: dict[str, str]) -> tuple[FigureRow, ...]:
    counts = _counts(counted)
    return tuple(
        [FigureRow(label, counts[name].count, "", _troubled(counts[name])) for name, label in names.items() if count(counts, name)]
    )


def _troubled(each: Counted) -> str:
    return "" if each.name in ("correct", "supports", UNLABELLED) else _numbers(each, 0)


def _counts(counted: Iterable[Counted]) -> dict[str, Counted]:
    return {each.name: each for each in counted}


def count(counts: dict[str, Counted], name: str) -> int:
    """Return a figure by its name, or zero."""
    return counts[name].count if name in counts else 0


def _numbers(each: Counted, total: int) -> str:
    """Return the numbers of the answers that a figure is about, unless it is about all."""
    if not each.numbers or each.answers == total:
        return ""
    more = f" and {each.answers - NUMBERS} more" if each.answers > NUMBERS else ""
    return f"{'answer' if each.answers == 1 else 'answers'} {', '.join(map(str, each.numbers))}{more}"


def unchecked_in(end: Closing) -> Iterator[str]:
    """Yield what was not checked in the report, those of its own answers first."""
    counts, fields, cited = (_counts(each) for each in (end.summary.answers, end.summary.fields, end.summary.citations))
    for name, words in (
        ("unreviewed", "without a finished review: what is said of them comes from the program alone"),
        ("partly", "with reviews still due"),
        ("blind", "under blind review: what the program and reviewers say of them is not told yet"),
        ("conflict", "on which reviewers differ and nobody has decided"),
        ("redacted", "from which something was redacted: bars stand where it was"),
        ("uncalibrated", "whose figures are scores: they put rows in order and are no chances of being right"),
    ):
        if count(counts, name):
            numbers = _numbers(counts[name], end.answers)
            yield f"{times(counts[name].count, 'answer')} {words}{f' ({numbers})' if numbers else ''}."
    if rows := count(fields, UNLABELLED):
        yield f"{times(rows, 'row')} that the program found, but nobody labelled."
    if rows := count(cited, UNLABELLED):
        yield f"{times(rows, 'citation')} that nobody labelled."
    if end.waiting:
        yield f"{times(end.waiting, 'event')} not sealed in the log when the report was made: nothing proves yet when they were written."
    yield "Fields that an answer does not draw on: whether it should have used one is judged only where a reviewer reported it."
    yield "Statements about something that is in no field and no document of the record: the program compares with these alone."
    yield "Whether the record itself was right, whether the answer was good care, and why the assistant wrote what it wrote."


def unchecked_of(answer: Answer) -> Iterator[str]:
    """Yield what was not checked in one answer."""
    summary = summary_of(answer)
    fields, cited = (_counts(each) for each in (summary.fields, summary.citations))
    state = review_of(answer)
    if state == "unreviewed":
        yield "No review of this answer is finished. What is said above comes from the program alone."
    elif state == "partly":
        yield "Not all reviews of this answer are in."
    if state != "unreviewed" and count(fields, UNLABELLED):
        yield f"{times(count(fields, UNLABELLED), 'row')} above without a label."
    if state != "unreviewed" and count(cited, UNLABELLED):
        yield f"{times(count(cited, UNLABELLED), 'citation')} above without a label."
    if answer.left_out:
        yield f"{times(answer.left_out, 'more field')} of the record, not shown because the answer does not draw on them."
    if answer.hidden_sections:
        yield f"Sections of the record that the model was not shown: {', '.join(answer.hidden_sections)}."


def contents_line(answer: Answer) -> ContentsLine:
    """Return the line of an answer in the contents."""
    turn = f", turn {answer.turn}" if answer.turn is not None else ""
    about = (answer.number, f"{answer.external_id}{turn}", answer.client, day(answer.answered_at))
    if answer.is_withheld:
        return ContentsLine(*about, "under blind review", "not told", "not told")
    found = [_FOUND[name][1] for name in found_in(answer) if name != "other"] + _others(answer)
    found += ["reviewers differ"] if any(each.outcome == "conflict" for each in answer.decisions) else []
    found += ["redacted in part"] if answer.redactions else []
    return ContentsLine(*about, "; ".join(found), _REVIEWED[review_of(answer)], _signers(answer))


def _others(answer: Answer) -> list[str]:
    codes = dict.fromkeys(each.code for each in answer.findings if each.code not in TOLD_APART)
    return [finding_title(code).lower() for code in codes]


def _signers(answer: Answer) -> str:
    """Return who signed so that it holds, or else how the signatures stand."""
    holding = dict.fromkeys(each.printed_name for each in answer.signatures if each.standing == "holds")
    standings = dict.fromkeys(each.standing for each in answer.signatures)
    return ", ".join(holding or standings) or "nobody"
