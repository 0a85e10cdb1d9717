"""The front door for answers that cite documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from attribution.budget import part_read
from attribution.documents.checking import Checker
from attribution.documents.citation import Grammar
from attribution.documents.clarifying import is_clarifying_question
from attribution.documents.judging import LISTED_ONLY, failures_of, is_listed_only, trust_in_cited, trust_in_sources, validity_of
from attribution.documents.listing import compare_list
from attribution.documents.marked_text import read_marked_text
from attribution.documents.misnumbered import find_misnumbered
from attribution.documents.model import AFTERWARDS, Issue, IssueCode, Reference
from attribution.documents.policy import DEFAULT_POLICY, CitationPolicy, QuotePolicy
from attribution.documents.referencing import Ledger
from attribution.documents.removal import CleanText
from attribution.documents.repair import repair, search
from attribution.documents.result import Claim, DocumentAttribution
from attribution.documents.turn import Turn, read_turn
from attribution.version import ENGINE_VERSION

_CARRY_QUOTES = (Grammar.STRUCTURED, Grammar.CLAIMS)


def attribute_documents(  # noqa: PLR0913  # one argument for each part of a turn
    *,
    response: str = "",
    documents: Sequence[Any] = (),
    tool_calls: Sequence[Any] = (),
    citations: Any = None,
    native: Any = None,
    policy: CitationPolicy = DEFAULT_POLICY,
    abstention_reason: str = "",
    question: str = "",
    answered_on: date | None = None,
) -> DocumentAttribution:
    """Say for every citation of an answer which source it means, what it stands for, and what is wrong with it.

    ``documents`` and ``tool_calls`` are what the model was given, in the order it was given. ``citations`` is the JSON beside the
    text: a list of citations, or an answer object with claims; ``response`` may be such an object itself. ``native`` is the response
    of Anthropic, OpenAI, Gemini or Cohere as its SDK serialises it; where it holds citations, numbers in the text are text.
    ``abstention_reason`` is why an assistant withheld the answer, if it did. ``question`` is what the user asked: words from there
    prove little. ``answered_on`` is the day of the message, by which sources are old.
    The same arguments give the same result. Raises ``InputError`` for a response that is no text, and for documents or tool calls
    that are no list; whatever stands in them is read as far as it can be.
    """
    turn = read_turn(response, documents, tool_calls, citations, native, policy)
    marked, listed, clean, issues = read_marked_text(turn.read, turn.known, turn.beside, are_read=not turn.is_native)
    ledger = Ledger(turn.known)
    ledger.add_all(marked, clean)
    if listed is not None:
        compare_list(listed, ledger)
    ledger.issues += [*issues, *turn.unread]
    withheld = abstention_reason or (turn.answer.abstention_reason if turn.answer else "")
    claims = _claims(turn, ledger, clean, policy)
    ledger.issues += _missing(ledger.references, policy, clean.text)
    if policy.searches_afterwards:
        search(ledger, clean.text, question)
    if policy.repairs:
        repair(ledger, clean.text, withheld)
    checker = Checker(turn.known.all, clean.text, part_read(question), policy.quotes)
    references = tuple(checker.check(ledger.references))
    trust = trust_in_sources(turn.known.all, answered_on, policy.trust)
    misnumbered = find_misnumbered(references, turn.known, clean.text, part_read(question))
    found = (*ledger.issues, *ledger.shortened(), *checker.issues, *misnumbered, *checker.unchecked())
    failures = failures_of(references, found)
    doubt = failures.worst or (LISTED_ONLY if is_listed_only(references) else "")
    cited = [name for each in references if each.status not in AFTERWARDS for name in each.sources]
    return DocumentAttribution(
        raw_text=turn.raw,
        clean_text=clean.text + turn.raw[len(turn.read) :],
        removed=clean.removed,
        sources=tuple(turn.known.all),
        references=references,
        issues=found,
        validity=validity_of(references, clean.text, failures, trust),
        trust=trust,
        answer_trust=trust_in_cited(tuple(dict.fromkeys(cited)), trust, policy.trust, doubt),
        claims=claims,
        unanswered_aspects=turn.answer.unanswered_aspects if turn.answer else (),
        abstention_reason=withheld,
        engine_version=ENGINE_VERSION,
    )


def _claims(turn: Turn, ledger: Ledger, clean: CleanText, policy: CitationPolicy) -> tuple[Claim, ...]:
    """The claims of an answer object with the references made of their citations."""
    if turn.answer is None:
        return ()
    ordinals = {id(written): reference.ordinal for written, reference in ledger.made}
    claims: list[Claim] = []
    for stated in turn.answer.claims:
        references = tuple([ordinals[id(turn.answer.citations[place])] for place in stated.citations])
        span = clean.span(stated.span) if stated.span else None
        claims.append(Claim(stated.text, span, references, stated.confidence))
        if span is None:
            ledger.issues.append(Issue(IssueCode.CLAIM_NOT_FOUND, f"the claim ‘{stated.text[:80]}’ does not stand in the answer"))
        if policy.is_required and not references:
            ledger.issues.append(Issue(IssueCode.MISSING, f"the claim ‘{stated.text[:80]}’ has no citation"))
    return tuple(claims)


def _missing(references: Sequence[Reference], policy: CitationPolicy, clean: str) -> list[Issue]:
    """Return what the policy asks for and is not there."""
    missing: list[Issue] = []
    if policy.is_required and not any(reference.sources for reference in references) and not is_clarifying_question(clean):
        missing.append(Issue(IssueCode.MISSING, "citations are required, and the answer has none that resolves"))
    if policy.quotes is QuotePolicy.REQUIRED:
        unquoted = [each for each in references if each.grammar in _CARRY_QUOTES and not each.quote]
        missing += [Issue(IssueCode.QUOTE_MISSING, f"‘{each.text[:80]}’ gives no quote", each.ordinal) for each in unquoted]
    return missing
