"""An answer without the traces of its markers is the same answer without any markers."""

from __future__ import annotations

import pytest

from attribution import IssueCode, attribute, attribute_documents
from reviewers.snapshots.unmarked import unmark, unmark_answer

ONE, OTHER = "[[SF:risk_level]]", "[[PG:provider_name]]"
CONTEXT = {"safety": {"risk_level": "elevated"}, "provider_genome": {"provider_name": "Ada Quill"}}


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Your risk is elevated ({}).", "Your risk is elevated."),
        ("Your risk is elevated ({}, {other}).", "Your risk is elevated."),
        ("Your risk is elevated ({}; {other}), so", "Your risk is elevated, so"),
        ("Your risk is elevated {}, {other}.", "Your risk is elevated."),
        ("Your risk is elevated {} and {other}, so", "Your risk is elevated, so"),
        ("Your risk is elevated (source: {}).", "Your risk is elevated."),
        ("Your risk (see {}) is elevated.", "Your risk is elevated."),
        ("Your risk is elevated [{}]. Ask.", "Your risk is elevated. Ask."),
        ("Your risk is elevated `{}`.", "Your risk is elevated."),
        ("Your risk is elevated **{}**.", "Your risk is elevated."),
        ("Your risk is elevated — {}\nAsk.", "Your risk is elevated\nAsk."),
        ("**{} Risk:** elevated", "**Risk:** elevated"),
        ("- {} item\n- other {}", "- item\n- other"),
        ("A.\n{}\nB.", "A.\nB."),
        ("A.\n\n{}\n\nB.", "A.\n\nB."),
        ("{}\n## Plan\n\nA.", "## Plan\n\nA."),
        ("{} ## Plan", "## Plan"),
        ("A.\n\nSources: {}, {other}", "A."),
        ("A.\n  {}\nB.\n\n{}\n", "A.\nB."),
        ("A {} \nB.\n{} {other} C.", "A\nB.\nC."),
        ("word{} next", "word next"),
        ("Your risk is elevated, {}, so ask.", "Your risk is elevated, so ask."),
        ("Your risk is elevated: {}.", "Your risk is elevated."),
        ("Your risk is elevated, per {}.", "Your risk is elevated."),
        ("Your risk is elevated (risk level: {}).", "Your risk is elevated."),
        ("Your risk is elevated<sup>{}</sup> now.", "Your risk is elevated now."),
        ("{}: ask first.", "ask first."),
        ("Your risk factors: {}\n- one", "Your risk factors:\n- one"),
        ("Your risk is elevated [SF:risk_level] now.", "Your risk is elevated now."),
        ("Your risk (elevated, {}) is known.", "Your risk (elevated) is known."),
        ("Your risk is elevated\u00a0{}.", "Your risk is elevated."),
        ("Your risk is elevated\u202f({}) now.", "Your risk is elevated now."),
        ("Your risk is elevated ‘{}’ now.", "Your risk is elevated now."),
        ("Your risk is elevated <cite>{}</cite>.", "Your risk is elevated."),
        ("Your risk is elevated <!-- {} --> now.", "Your risk is elevated now."),
        ("Your risk is elevated → {}.", "Your risk is elevated."),
        ("Your risk is elevated (source: {}; see also {other}).", "Your risk is elevated."),
        ("Your risk is elevated (as noted in {}).", "Your risk is elevated."),
        ("Your risk is elevated 【{}】 now.", "Your risk is elevated now."),
        ("Your risk is elevated ({}: as recorded).", "Your risk is elevated (as recorded)."),
        ("Your risk is [elevated]({}) now.", "Your risk is elevated now."),
        ("- {}: ask first\n- wait", "- ask first\n- wait"),
        ("- **{}**: ask first\n- wait", "- ask first\n- wait"),
        ("Per {} the risk is elevated.", "the risk is elevated."),
        ("A.\n↳ {}\nB.", "A.\nB."),
        ("A.\n\nSources:\n- {}\n- {other}", "A."),
        ("A.\n\n## Sources\n\n1. {}\n2. {other}\n\nB.", "A.\n\nB."),
        ("A.\n\n**Source fields:** {}, {other}", "A."),
        ("A.\n\n*Source: {}*", "A."),
        ("- A {}\n- {other} B", "- A\n- B"),
        ("- A {}\n- {other}\n- B", "- A\n- B"),
    ],
)
def test_nothing_is_left_where_a_marker_stood(written, plain):
    text = written.replace("{}", ONE).replace("{other}", OTHER)

    assert unmark_answer(attribute(response=text, context=CONTEXT), None).text == plain


@pytest.mark.parametrize("cited", ["[1]", "[9]"])
@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Ask first (see {}).", "Ask first."),
        ("Ask first (source: {}; {}), then wait.", "Ask first, then wait."),
        ("Ask first<sup>{}</sup>.", "Ask first."),
        ("Ask first **{}**.", "Ask first."),
        ("Ask first, {}, then wait.", "Ask first, then wait."),
        ("According to {}, ask first.", "ask first."),
        ("Ask first.\n\n{}\n\nThen wait.", "Ask first.\n\nThen wait."),
        ("Ask first\u00a0{}.", "Ask first."),
    ],
)
def test_nothing_is_left_where_a_citation_of_a_document_stood(written, plain, cited):
    documents = attribute_documents(response=written.replace("{}", cited), documents=[{"id": "a", "content": "Ask first."}])

    assert documents.removed
    assert unmark_answer(attribute(response=documents.raw_text, context=CONTEXT), documents).text == plain


@pytest.mark.parametrize("near", [" [^1]", " [source: 1]", " (doc-1)", "¹", " 【1†L3】", " ([cite: a])"])
def test_what_was_nearly_a_citation_is_taken_out_as_well(near):
    documents = attribute_documents(response=f"Ask first{near}. Then wait [1].", documents=[{"id": "a", "content": "Ask first."}])

    assert [issue.code for issue in documents.issues] == [IssueCode.MALFORMED]
    assert unmark_answer(attribute(response=documents.raw_text, context=CONTEXT), documents).text == "Ask first. Then wait."


@pytest.mark.parametrize(
    "text", ["f() and [] stay, ** too.", "A \n B,\n\n\n  C.", "see, and (source:)", "", "Sources:\n- one", "[a](b) <i>c</i>"]
)
def test_a_text_without_markers_stays_as_it_is(text):
    unmarked = unmark_answer(attribute(response=text, context=CONTEXT), None)

    assert (unmarked.text, unmarked.removed) == (text, [])


def test_places_follow_their_words():
    documents = attribute_documents(response=f"Ask ({ONE}) first [1], then wait ({OTHER}) [1].", documents=[{"id": "a", "content": "Ask."}])
    unmarked = unmark_answer(attribute(response=documents.raw_text, context=CONTEXT), documents)

    assert unmarked.text == "Ask first, then wait."
    for word in ("Ask", "first", "then", "wait"):
        start = documents.clean_text.index(word)
        assert unmarked.text[slice(*unmarked.span((start, start + len(word))))] == word
    assert unmarked.position(documents.clean_text.index(")")) == len("Ask")


def test_a_marker_that_still_stands_in_a_text_is_taken_out_as_well():
    assert unmark(f"Your risk is elevated {ONE}").text == "Your risk is elevated"


@pytest.mark.parametrize(
    "between", ["\n", " " * 79 + "x", "\n" + " " * 70 + "x", "(" * 70, "<i " + " " * 70, "[" + "a" * 70 + "](", "Sources:\n" * 8]
)
def test_very_many_marks_cost_little(between):
    """Each step looks at a few characters only, and never again at those that it has passed."""
    text = between.join([f"({ONE}) {OTHER}"] * 5_000)

    assert "[[" not in unmark(text).text
