"""Numbers that may mean the result of a tool where documents were given as well: a number means a document."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.documents.citation import Grammar
from attribution.documents.model import Issue, IssueCode, Reference
from attribution.documents.resolution import SourceIndex
from attribution.documents.support import judge_support

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
