"""The cover of a report, its figures and its contents: who, when, why, what is in it, and what was not checked."""

from __future__ import annotations

import io
import re
import unicodedata

import pypdf
import pytest

from reviewers.ledger.events import Action
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports import chunks
from reviewers.reports.exports.actions import finish
from reviewers.reports.exports.bundle.verifier.main import verify, words
from reviewers.reports.exports.formats.cover import contents_line, facts_of, figures_of, opening_of, unchecked_in, unchecked_of
from reviewers.reports.exports.formats.wording import event_in_words, rows_in_order, shortly, sureness
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.reports.exports.summary import combined, summary_of
from reviewers.reports.models import ExportChunk
from reviewers.review.labels import actions
from reviewers.review.models import CitationVerdict, Verdict
from tests.accounts.outside import make_external
from tests.factories import BOTH, CITED, NOW, choose, make_item
from tests.ledger.sealed import seal_now
from tests.reports.exporting.changing import unpack
from tests.reports.exporting.made import EVERYTHING, lines, make_bundle, make_export, make_pending, of_item, report_of, written
from tests.review.deciding.cases import make_conflict
from tests.review.plans.planning import label_all, review, run_blind
from tests.review.signed import make_signed, submit

REASON = "asked for by the safety board"
CONTRADICTING = {"response": "Your risk is low [[SF:risk_level]], and the fee is $300 a session."}
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


def file_of(by, form, scope=EVERYTHING):
    export = make_export(by, form, scope, REASON)
    return b"".join(chunks.pieces(export, chunks.FILE))


def pages_of(content):
    return [unicodedata.normalize("NFKC", page.extract_text()).replace("\u200b", "") for page in pypdf.PdfReader(io.BytesIO(content)).pages]


def plain(text):
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def counts_of(counted):
    return {each.name: (each.count, each.numbers) for each in counted}


@pytest.fixture
def three(organisation, alice):
    """One that contradicts its record and was reviewed, one that nobody reviewed, and one that was reviewed and signed."""
    against = make_item(organisation, answered_at="2026-03-01T10:00:00Z", **CONTRADICTING)
    review(against, alice, Verdict.MISSTATED)
    make_item(organisation, answered_at="2026-03-02T10:00:00Z")
    make_signed(alice)


def test_the_cover_says_who_asked_for_it_when_and_why(organisation, auditor):
    make_item(organisation)

    page, first = plain(file_of(auditor, "html").decode()), " ".join(pages_of(file_of(auditor, "pdf"))[0].split())

    for text in (page, first):
        for told in ("Asked for by Audra Ashe, auditor", "Asked for on 4 Mar 2026, 09:30:00 UTC", f"Why {REASON}"):
            assert told in text
        assert "reported and visible use, not proof of cause" in text
    requested = lines(file_of(auditor, "jsonl"))[0]["requested"]
    assert requested == {"by": "Audra Ashe", "role": "auditor", "at": "2026-03-04T09:30:00.000000Z", "reason": REASON}


def test_a_bundle_says_it_too_and_holds(organisation, three, auditor):
    content = make_bundle(auditor)

    head, *_, end = lines(unpack(content)["report.jsonl"])
    found = verify(io.BytesIO(content))
    assert found.answers == 3
    assert "Audra Ashe, auditor, asked for it at 2026-03-04T09:30:00.000000Z: the yearly audit" in list(words(found, is_trusted=False))
    assert (head["requested"]["by"], head["requested"]["reason"]) == ("Audra Ashe", "the yearly audit")
    assert {each["name"]: each["count"] for each in end["summary"]["answers"]}["unreviewed"] == 1


def test_the_cover_names_period_filter_disclosure_engine_and_profile(organisation, auditor):
    make_item(organisation, model="caremate-4", prompt_version="match v18")
    report = report_of(auditor, ReportScope(ScopeKind.PERIOD, submitted_only=False))

    facts = dict(facts_of(report.header, report.closing))

    assert facts["Scope"] == "a period"
    assert facts["Reviews"] == "all answers, reviewed or not"
    assert facts["Text"] == "everything, as it is on record"
    assert facts["Answers"] == "1, given on 4 Mar 2026"
    answer = report.answers[0]
    combination = facts["Model, prompt, engine"]
    assert combination.startswith("caremate-4, match v18")
    assert f"engine {answer.engine}: 1 answer under profile {answer.profile} (uncalibrated)" in combination


@pytest.mark.parametrize("profile", [DisclosureProfile.DEIDENTIFIED, DisclosureProfile.MASKED])
def test_a_reduced_report_does_not_have_the_reason(organisation, auditor, profile):
    make_item(organisation)
    by = make_external(organisation) if profile is DisclosureProfile.MASKED else auditor

    content = file_of(by, "html", ReportScope(ScopeKind.PERIOD, profile=profile)).decode()

    assert REASON not in content
    assert (by.user.name in content) == (profile is DisclosureProfile.MASKED)


def test_the_figures_count_what_was_reviewed_found_labelled_and_signed(three, auditor):
    summary = report_of(auditor).closing.summary

    answers = counts_of(summary.answers)
    assert (answers["reviewed"], answers["unreviewed"]) == ((2, (1, 3)), (1, (2,)))
    assert (answers["contradicted"], answers["misstated"]) == ((1, (1,)), (1, (1,)))
    assert (answers["signed"], answers["unsigned"]) == ((1, (3,)), (2, (1, 2)))
    answer = report_of(auditor).answers[0]
    assert counts_of(summary.fields)["misstated"][0] == sum(len(row.said) for row in answer.rows)
    assert counts_of(summary.citations) == {"supports": (1, (3,))}
    assert (summary.since, summary.until) == ("2026-03-01T10:00:00.000000Z", report_of(auditor).answers[-1].answered_at)


@pytest.mark.parametrize("verdict", [CitationVerdict.DOES_NOT_SAY, CitationVerdict.CONTRADICTS])
def test_a_citation_that_a_reviewer_does_not_bear_out_is_counted(organisation, alice, auditor, verdict):
    item = make_item(organisation, **BOTH)
    (citation,) = actions.take(item_id=item.pk, by=alice, now=NOW).unlabelled_citations
    actions.save_citation_label(choice=choose(item, citation.number), verdict=verdict, note="", by=alice, now=NOW)
    submit(item, alice)

    report = report_of(auditor)

    assert counts_of(report.closing.summary.answers)["unsupported"] == (1, (1,))
    labels = {row.label: row.count for table in figures_of(report.closing) if table.title == "Labels of citations" for row in table.rows}
    assert labels == {verdict.label: 1}


def test_the_figures_stand_before_the_answers_in_words(three, auditor):
    report = report_of(auditor)

    page, pages = plain(written(auditor, "html").decode()), pages_of(written(auditor, "pdf"))

    opening = "Of 3 answers: 2 reviewed, 1 not reviewed. In 1, the program reads something other than the record has."
    assert opening_of(report.closing) == opening
    assert page.index(opening) < page.index("What was asked")
    number = next(number for number, text in enumerate(pages) if opening in " ".join(text.split()))
    assert "What was asked" not in "".join(pages[: number + 1])
    (table, *_) = figures_of(report.closing)
    assert [(row.label, row.count, row.share) for row in table.rows] == [
        ("Reviewed: all reviews are in", 2, "67%"),
        ("Not reviewed", 1, "33%"),
        ("All answers", 3, ""),
    ]


def test_the_contents_name_each_answer_with_the_page_where_it_begins(three, auditor):
    report, pages = report_of(auditor), pages_of(written(auditor, "pdf"))

    (contents,) = [" ".join(text.split()) for text in pages if text.startswith("Contents")]
    for answer in report.answers:
        begins = next(number for number, text in enumerate(pages, start=1) if f"{answer.number}. {answer.external_id}" in text)
        line = contents_line(answer)
        said = f"{line.given} {line.found} {line.reviewed} {line.signed}"
        assert f"{answer.number} {line.name}, client {line.client} {said} {begins}" in contents
    found = [(contents_line(answer).reviewed, contents_line(answer).signed) for answer in report.answers]
    assert found == [("yes", "nobody"), ("no", "nobody"), ("yes", "Alice Aldous")]
    assert contents_line(report.answers[0]).found.startswith("contradicts the record; a field misstated")


def test_a_figure_is_the_sum_over_its_answers(three, auditor):
    report = report_of(auditor)

    assert report.closing.summary == combined(map(summary_of, report.answers))


def test_what_was_not_checked_is_said_of_the_report_and_of_each_answer(three, auditor):
    report = report_of(auditor)

    told = list(unchecked_in(report.closing))
    assert told[0] == "1 answer without a finished review: what is said of them comes from the program alone (answer 2)."
    assert "Whether the record itself was right" in told[-1]
    assert next(unchecked_of(report.answers[1])).startswith("No review of this answer is finished")
    for form in ("html", "pdf"):
        content = written(auditor, form)
        text = plain(content.decode()) if form == "html" else " ".join(" ".join(pages_of(content)).split())
        assert text.count("What was not checked") == 4
        assert told[0] in text


def test_an_answer_under_blind_review_counts_among_nothing_that_is_said_of_it(organisation, lead, alice):
    item = make_item(organisation, **CONTRADICTING)
    run_blind(lead)
    review(item, alice, Verdict.WRONG)

    summary = report_of(lead).closing.summary

    assert set(counts_of(summary.answers)) - {"unsealed"} == {"blind"}
    assert (summary.fields, summary.citations, summary.decisions, summary.findings) == ((), (), (), ())
    assert contents_line(report_of(lead).answers[0]).found == "under blind review"


def test_an_open_conflict_is_counted_and_named(organisation, auditor):
    item = make_conflict(organisation)

    report = report_of(auditor, of_item(item.pk))

    assert counts_of(report.closing.summary.answers)["conflict"] == (1, (1,))
    assert "reviewers differ" in contents_line(report.answers[0]).found


def test_events_of_labels_name_their_field_and_their_verdict(organisation, alice, auditor):
    item = make_item(organisation, **BOTH)
    review(item, alice, Verdict.MISSTATED)

    (answer,) = report_of(auditor, of_item(item.pk)).answers

    saved = [event_in_words(each) for each in answer.events if each.action == Action.LABEL_SAVED]
    assert "saved a label: Risk level, misstated" in saved
    cited = [event_in_words(each) for each in answer.events if each.action == Action.CITATION_LABEL_SAVED]
    assert cited == [f"saved a citation’s label: document {answer.documents[0].id}, supports"]
    page = plain(written(auditor, "html", of_item(item.pk)).decode())
    assert "saved a label: Risk level, misstated safety.risk_level" in page


def test_an_event_of_a_label_that_is_not_submitted_does_not_say_of_what(organisation, alice, auditor):
    item = make_item(organisation, **BOTH)
    label_all(item, alice)

    (answer,) = report_of(auditor, of_item(item.pk)).answers
    (own,) = report_of(alice, of_item(item.pk)).answers

    assert {(each.section, each.path, each.source, each.verdict) for each in answer.events} == {("", "", "", "")}
    told = [event_in_words(each) for each in answer.events if each.action == Action.LABEL_SAVED]
    assert set(told) == {"saved a label, which no finished review counts"}
    assert all(each.path for each in own.events if each.action == Action.LABEL_SAVED)


def test_fields_stand_by_footnote_and_those_without_one_in_the_order_of_the_text(organisation, auditor):
    context = {"a": {"city": "Bergen", "fee": "$81"}, "b": {"language": "Norwegian", "name": "Ada Quill"}}
    response = "Ada Quill [[B:name]] is in Bergen [[A:city]]. She speaks Norwegian for $81."
    make_item(organisation, context=context, response=response)

    (answer,) = report_of(auditor).answers
    rows = rows_in_order(answer)

    numbers = [row.footnote for row in rows if row.footnote]
    assert numbers == sorted(numbers)
    assert len(numbers) < len(rows)
    places = [row.spans[0].start for row in rows if row.footnote is None and row.spans]
    assert places == sorted(places)
    assert [row.footnote is None for row in rows] == sorted(row.footnote is None for row in rows)


def test_a_raw_score_is_called_a_score(organisation, auditor):
    make_item(organisation)

    page, text = written(auditor, "html").decode(), " ".join(pages_of(written(auditor, "pdf")))

    assert ">Score</th>" in page
    assert ">Confidence</th>" not in page
    assert "Found by Score Evidence" in " ".join(text.split())
    row = report_of(auditor).answers[0].rows[0]
    assert (sureness(row, is_calibrated=False), sureness(row, is_calibrated=True)) == (f"{row.score:.2f}", f"score {row.score:.2f}")


def test_moments_have_one_form_and_what_looks_like_one_in_a_text_stays(organisation, alice, auditor):
    written_out = "2026-03-04T01:42:08.000000Z"
    review(make_item(organisation, user_text=f"it said {written_out}", **CITED), alice)
    seal_now(organisation.pk)

    for form in ("html", "pdf"):
        content = written(auditor, form)
        text = content.decode() if form == "html" else " ".join("".join(pages_of(content)).split())
        assert set(MOMENT.findall(text)) == {"2026-03-04T01:42"}
        assert written_out in text
    assert shortly(written_out) == "4 Mar 2026, 01:42:08 UTC"
    assert shortly("no moment") == "no moment"


def test_a_finding_is_named_in_words_with_its_field_and_its_path(organisation, auditor):
    make_item(organisation, **CONTRADICTING)

    report = report_of(auditor)

    found = next(each for each in report.answers[0].findings if each.code == "contradicted" and each.path == "risk_level")
    assert (found.section, found.about) == ("safety", "safety.risk_level")
    page = plain(written(auditor, "html").decode())
    assert "Contradicted : Risk level safety.risk_level" in page.replace("Contradicted:", "Contradicted :")
    assert "over_cited" not in page


def test_a_finding_about_a_marker_says_which(organisation, auditor):
    make_item(organisation, response="Your risk is elevated [[SF:no_such_field]].")

    (found,) = report_of(auditor).answers[0].findings

    assert found.message.endswith(": [[SF:no_such_field]]")
    assert "no_such_field" in " ".join(pages_of(written(auditor, "pdf")))


def test_a_field_that_an_answer_does_not_use_has_no_score(organisation, auditor):
    item = make_item(organisation)

    rows = report_of(auditor, of_item(item.pk, all_fields=True)).answers[0].rows

    assert {sureness(row, is_calibrated=False) for row in rows if row.track == "neither"} == {"–"}


def test_a_report_of_no_answers_has_a_cover_and_says_so(organisation, auditor):
    page, text = plain(written(auditor, "html").decode()), " ".join(pages_of(written(auditor, "pdf")))

    for content in (page, text):
        assert "There are no answers in this report." in content
        assert "Contents" not in content


def test_an_export_that_an_earlier_version_began_is_begun_again(organisation, auditor):
    """It does not know the figures of the answers that it has."""
    make_item(organisation)
    whole, again = make_export(auditor, "jsonl", reason=REASON), make_pending(auditor)
    ExportChunk.objects.create(
        organisation=organisation, export=again, name=chunks.FILE, number=0, content=b"", state={"after": "", "end": False, "logs": {}}
    )

    finish(export=again, by=auditor, now=NOW)

    (head, *rest), (head_again, *rest_again) = (lines(b"".join(chunks.pieces(each, chunks.FILE))) for each in (whole, again))
    assert rest == rest_again
    assert head["requested"]["reason"] != head_again["requested"]["reason"]
