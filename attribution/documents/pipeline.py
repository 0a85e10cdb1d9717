"""Attribute an answer that cites documents: read, look up, check, compare its list of sources, and repair it where it cites nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from attribution.budget import part_read
from attribution.documents.checks import Checker
from attribution.documents.grammars.marked_text import SourcesList, read_marked_text
from attribution.documents.ledger import Ledger
from attribution.documents.post_hoc import find_references, is_code_only, to_references
from attribution.documents.references import (
    AFTERWARDS,
    DEFAULT_POLICY,
    CitationPolicy,
    Grammar,
    Issue,
    IssueCode,
    Pointer,
    QuotePolicy,
    Reference,
    ReferenceStatus,
    SearchUnit,
    Target,
    WrittenCitation,
)
from attribution.documents.removal import CleanText
from attribution.documents.resolution import SourceIndex
from attribution.documents.sources import CitableSource
from attribution.documents.support import judge_support
from attribution.documents.turn import Turn, read_turn
from attribution.documents.validity import (
    LISTED_ONLY,
    Claim,
    DocumentAttribution,
    failures_of,
    is_clarifying_question,
    is_listed_only,
    trust_in_cited,
    trust_in_sources,
    validity_of,
)
from attribution.text import fold_words
from attribution.version import ENGINE_VERSION

_FEWEST_WORDS = 2


def compare_list(listed: SourcesList, ledger: Ledger) -> None:
    """Add what the list says: sources that are only listed, sources that it leaves out, entries that name something else."""
    cited = {target.source: target.written for each in ledger.references for target in each.targets if target.source}
    cited_out_of_range = {target.written for each in ledger.references for target in each.targets}
    in_list: set[str] = set()
    for place, label in dict(listed.entries).items():
        pointer = Pointer(str(place), place)
        source = ledger.index.resolve(pointer).source
        if source is not None:
            in_list.add(source.id)
            if label and not _names(label, source):
                message = f"the list calls document {place} ‘{label[:120]}’, it was given as ‘{source.title or source.uri}’"
                ledger.issues.append(Issue(IssueCode.MISLABELLED, message, None, source.id))
        if source is None and str(place) in cited_out_of_range:
            continue
        if source is None or source.id not in cited:
            reference = ledger.add(WrittenCitation(Grammar.LISTED, str(place), (pointer,)))
            if source is not None:
                message = f"document {place} is listed as a source, the text does not cite it"
                ledger.issues.append(Issue(IssueCode.LISTED_NOT_CITED, message, reference.ordinal, source.id))
    for name, written in cited.items():
        if name not in in_list:
            message = f"document {written} is cited, the list of sources leaves it out"
            ledger.issues.append(Issue(IssueCode.CITED_NOT_LISTED, message, None, name))


def _names(label: str, source: CitableSource) -> bool:
    """Return True if an entry may mean a source: a word in common with its title, site or ids, or nothing to compare with."""
    known = fold_words(f"{source.title} {source.uri} {source.origin} {source.source_id} {source.path}")
    said = fold_words(label)
    return len(known) < _FEWEST_WORDS or not said or not {word for word in said if len(word) > 2}.isdisjoint(known)


_MOST_LOOKED_AT = 40
_LONGEST = 20_000


def find_misnumbered(references: Sequence[Reference], index: SourceIndex, clean: str, question: str) -> list[Issue]:
    """Say of numbers whose document has few words of the claim that the result of a tool in that place has most of them."""
    if not index.others or index.places is index.others:
        return []
    doubtful = [each for each in references if _is_doubtful(each)][:_MOST_LOOKED_AT]
    issues: list[Issue] = []
    for each in doubtful:
        start, end = each.span or (0, 0)
        for target in each.targets:
            number = int(target.written)
            other = index.others[number - 1] if 1 <= number <= len(index.others) else None
            if target.source and other and judge_support(clean[start:end], [other.content[:_LONGEST]], question).is_supported:
                message = f"result {other.id} of a tool has most of these words, document {number} has few of them"
                issues.append(Issue(IssueCode.AMBIGUOUS, f"{message}: a number means a document", each.ordinal, target.source))
    return issues


def _is_doubtful(reference: Reference) -> bool:
    support = reference.check.support if reference.check else None
    is_numbered = reference.grammar is Grammar.NUMBERED and reference.span is not None
    return is_numbered and support is not None and not support.is_supported


MOST_ATTACHED = 5
ALWAYS_ATTACHED = 3
_ENOUGH = 0.5
"""The share of the best score that the fourth and fifth chunk need."""


def repair(ledger: Ledger, clean: str, abstention_reason: str = "") -> None:
    """Attach the three to five best chunks if nothing is cited. They have no position and never count as the model's.

    Nothing is attached to an answer that was withheld, that only asks back, or that is code alone: there is nothing to source.
    """
    if any(reference.sources for reference in ledger.references):
        return
    if abstention_reason or is_code_only(clean) or is_clarifying_question(clean):
        return
    for source in best(ledger.index.all):
        ledger.references.append(
            Reference(
                ordinal=len(ledger.references),
                grammar=Grammar.REPAIR,
                status=ReferenceStatus.REPAIRED,
                text=source.id,
                targets=(Target(source.id, source.id),),
            )
        )


def search(ledger: Ledger, clean: str, question: str, unit: SearchUnit = SearchUnit.SENTENCE) -> None:
    """Match the sentences or clauses of an answer that cites nothing with its sources. What is found is never the model's own citation."""
    sources = ledger.index.all
    if any(reference.sources for reference in ledger.references) or not sources:
        return
    found = find_references(clean, [source.content for source in sources], question, unit)
    ledger.references += to_references(found, sources, len(ledger.references))


def best(sources: Sequence[CitableSource]) -> list[CitableSource]:
    """The best by retrieval score, those without a text left out; where none has a score, the first three in the order retrieved."""
    readable = [source for source in sources if source.content.strip()]
    scored = [(source.score, source) for source in readable if source.score is not None]
    ranked = sorted(scored, key=lambda each: -each[0])[:MOST_ATTACHED]
    if not ranked:
        return readable[:ALWAYS_ATTACHED]
    return [source for place, (score, source) in enumerate(ranked) if place < ALWAYS_ATTACHED or score >= _ENOUGH * ranked[0][0]]


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
    """Say for every citation of an answer which source it means, which words it supports, and what is wrong with it.

    ``documents`` and ``tool_calls`` are what the model was given, in the order it was given. ``citations`` is the JSON beside the
    text: a list of citations, or an answer object with claims; ``response`` may be such an object itself. ``native`` is the response
    of Anthropic, OpenAI, Gemini or Cohere as its SDK serialises it; where it holds citations, numbers in the text are text.
    ``abstention_reason`` is why an assistant withheld the answer, if it did. ``question`` is what the user asked: words from there
    prove little. ``answered_on`` is the day of the message, by which sources are old.
    The same arguments give the same result. Raises ``InputError`` for a response that is no text, and for documents or tool calls
    that are no list; whatever is in them is read as far as it can be.
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
        search(ledger, clean.text, question, policy.search_unit)
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
