"""Review items as plain values for the API, made of what the queue and the review page show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.urls import reverse

from reviewers.review.adjudication.decisions import VERDICTS, ShownDecision
from reviewers.review.items import ReviewItem
from reviewers.review.labels.claims import ShownClaim
from reviewers.review.models import Comment, Flag
from reviewers.review.page.documents import IssueRow
from reviewers.review.page.loader import Contents, FindingRow, build_contents
from reviewers.review.page.rows import FieldRow, ShownLabel, unfound_rows
from reviewers.review.page.source_rows import CitationRow, Extent, SourceRow
from reviewers.review.queue.queries import QueuePage, QueueRow
from reviewers.review.talk.comments import ShownComment, visible_comments
from reviewers.review.talk.flags import ShownFlag
from reviewers.review.visibility import sees_work

_EVERYTHING = Extent(all_citations=True, everything=True, all_rows=True)
_CODES = {words: code for code, words in VERDICTS.items()}


def page_values(page: QueuePage) -> dict[str, Any]:
    """Return a page of the list."""
    return {"items": [row_values(row) for row in page.rows], "after": str(page.rows[-1].id) if page.after else None}


def row_values(row: QueueRow) -> dict[str, Any]:
    """Return an item as the queue lists it."""
    return {
        "id": str(row.id),
        "url": settings.ADDRESS + reverse("item", args=[row.id]),
        "name": row.name,
        "turn_index": row.turn_index,
        "answered_at": row.answered_at.isoformat(),
        "excerpt": row.excerpt,
        "model": row.model,
        "prompt_version": row.prompt_version,
        "state": row.state,
        "plan": row.plan,
        "is_blind": row.is_blind,
        "is_conflicted": row.is_conflicted,
        "is_flagged": row.is_flagged,
        "source": None if row.is_blind else row.source.title,
        "validity": row.validity.title if row.validity else None,
        "guardrails": [each.text for each in row.guardrails],
        "found": None if row.is_blind else row.found_count,
        "labelled": None if row.is_blind else row.labelled._asdict(),
        "holder": row.holder,
        "skip_reason": row.skip_reason,
        "submitted_by": row.submitted_by,
        "signed": {"holding": list(row.signed.holding), "void": list(row.signed.void)},
    }


def item_values(item: ReviewItem, row: QueueRow, flags: Iterable[Flag], comments: Iterable[Comment]) -> dict[str, Any]:
    """Return an item as its page shows it, after what the queue shows."""
    contents = build_contents(item, list(flags), _EVERYTHING)
    judged = None if item.is_blind else contents.grounding
    return {
        **row_values(row),
        "attribution": str(item.row.attribution_id),
        "profile": contents.profile,
        "calibrated": None if item.is_blind else contents.is_calibrated,
        "user_text": contents.user_text,
        "text": item.shown.attribution.clean_text,
        "validity_reason": judged.validity_reason if judged else None,
        "answer_trust": judged.trust.title if judged else None,
        "answer_trust_reason": judged.trust_reason if judged else None,
        "findings": [] if item.is_blind else [_finding(each) for each in _findings(contents)],
        "rows": [_row(item, each, group.title) for group in contents.groups for each in group.rows],
        "unfound": [_row(item, each, None) for each in unfound_rows(item)],
        "sources": [_source(item, each) for each in contents.grounding.sources] if contents.grounding else [],
        "reviews": [
            {"reviewer": each.name, "submitted_at": each.submitted_at.isoformat()}
            for each in item.review_status.reviews
            if sees_work(item.viewer, item.review_status, each.reviewer_id)
        ],
        "flags": [_flag(each) for each in _flags(contents)],
        "unsupported": [_claim(each) for each in contents.claims],
        "comments": [_comment(each) for each in visible_comments(item, comments)],
    }


def _claim(claim: ShownClaim) -> dict[str, Any]:
    start, end = claim.span or (None, None)
    names = sorted({label.name for label in claim.labels if label.name})
    own = claim.own
    return {
        "start": start,
        "end": end,
        "words": claim.words,
        "reviewers": names,
        "notes": [each.note for each in claim.labels if each.note],
        "own": {"id": str(own.id), "note": own.note} if own else None,
        "decision": _decision(claim.decided),
    }


def _decision(decided: ShownDecision | None) -> dict[str, Any] | None:
    return {"verdict": _CODES[decided.verdict], "lead": decided.name, "reason": decided.reason} if decided else None


def _comment(comment: ShownComment) -> dict[str, Any]:
    return {"id": str(comment.id), "author": comment.name, "at": comment.at.isoformat(), "text": comment.text}


def _findings(contents: Contents) -> Iterator[FindingRow | IssueRow]:
    yield from contents.findings
    yield from contents.grounding.issues if contents.grounding else ()


def _finding(found: FindingRow | IssueRow) -> dict[str, Any]:
    return {"number": found.number, "finding": found.badge.title, "text": found.message}


def _flags(contents: Contents) -> Iterator[ShownFlag]:
    """Yield the flags on places of the answer, then those on findings."""
    yield from contents.flags
    yield from (flag for found in _findings(contents) for flag in found.flags)


def _flag(flag: ShownFlag) -> dict[str, Any]:
    return {
        "id": str(flag.id),
        "kind": flag.kind,
        "on": flag.about,
        "note": flag.note,
        "reviewer": flag.name,
        "at": flag.at.isoformat(),
        "resolution": flag.resolution.note if flag.resolution else None,
    }


def _row(item: ReviewItem, row: FieldRow, method: str | None) -> dict[str, Any]:
    field = item.attribution.fields[row.number].field
    is_told = not item.is_blind
    return {
        "number": row.number,
        "section": field.section,
        "path": field.path,
        "name": row.label,
        "value": row.value + row.value_rest,
        "type": row.type,
        "found": row.is_used,
        "withheld": row.is_hidden,
        "method": method if is_told else None,
        "rule": row.rule if is_told else None,
        "track": row.track if is_told else None,
        "confidence": row.confidence if is_told and row.is_used else None,
        "interval": list(row.bounds) if row.bounds else None,
        "below_cutoff": row.is_below,
        "footnote": row.footnote,
        "contradiction": row.contradiction,
        "mentioned": row.mentioned,
        "attention_check": row.is_planted,
        "redacted": row.redacted is not None,
        "explanations": [{"term": term, "text": text} for term, text, _ in row.trace],
        "label": label_values(row.given),
    }


def own_label_values(given: ShownLabel) -> dict[str, Any]:
    """Return the viewer's own label of a row or a citation."""
    return {"verdict": given.verdict or None, "note": given.note, "changed": len(given.changes)}


def label_values(given: ShownLabel) -> dict[str, Any]:
    """Return the label of a row or a citation."""
    return {
        **own_label_values(given),
        "others": [{"reviewer": name, "verdict": _CODES[words], "note": note} for name, words, note in given.others],
        "decision": _decision(given.decided),
    }


def _source(item: ReviewItem, source: SourceRow) -> dict[str, Any]:
    is_told = not item.is_blind
    return {
        "footnote": source.number,
        "title": source.title + source.title_rest,
        "name": source.name,
        "kind": source.kind,
        "host": source.host,
        "published_at": source.published_at,
        "trust": source.tier if is_told else None,
        "trust_score": source.score if is_told else None,
        "text": source.text,
        "citations": [_citation(each, is_told=is_told) for each in source.citations],
    }


def _citation(citation: CitationRow, *, is_told: bool) -> dict[str, Any]:
    """Return a citation. Which passage the engine chose is told only to who may know it."""
    judged = citation.judged
    return {
        "number": judged.number,
        "words": citation.claim,
        "quote": citation.quote,
        "required": judged.is_due,
        "remark": citation.told,
        "checks": [{"check": badge.text, "text": text} for badge, text in citation.checks] if is_told else [],
        "passage": "".join(text for text, _ in citation.passage) if is_told else "",
        "judgement": {name: getattr(judged.by_model, name) for name in ("verdict", "sentence", "model", "refusal")}
        if judged.by_model
        else None,
        "label": label_values(judged.given),
    }
