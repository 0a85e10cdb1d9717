"""What a search for citations left out, and why, in words."""

from __future__ import annotations

from collections import Counter

from attribution import RefusalReason, SearchRecord

_WHY = {
    RefusalReason.CLAIM_NOT_IN_ANSWER: "with a claim that does not stand in the answer",
    RefusalReason.SOURCE_OUT_OF_RANGE: "for a source that there is not",
    RefusalReason.TWICE: "given twice",
    RefusalReason.NOT_READABLE: "that cannot be read",
    RefusalReason.CLAIM_EMPTY: "without a claim",
    RefusalReason.CONFIDENCE_OUT_OF_RANGE: "without a confidence between 0 and 1",
    RefusalReason.TOO_MANY: "with all that came behind the five hundredth",
}


def words_of_left_out(record: SearchRecord) -> str:
    """Sentences on the citations that did not hold and on the texts that were not looked at; empty where there is neither."""
    return "".join([f" {words}" for words in (_refused(record), _shortened(record)) if words])


def _refused(record: SearchRecord) -> str:
    if not record.refused:
        return ""
    counts = Counter(record.reasons)
    told = ", ".join([f"{counts[reason]} {why}" for reason, why in _WHY.items() if counts[reason]])
    return f"{record.refused} that did not hold {'was' if record.refused == 1 else 'were'} left out: {told}."


def _shortened(record: SearchRecord) -> str:
    return f"Not everything was looked at: {record.shortened}." if record.shortened else ""
