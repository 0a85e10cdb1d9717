"""Checks the list of sources at the end of an answer against its text and against the sources that were given."""

from __future__ import annotations

from attribution.documents.citation import Grammar, Pointer, WrittenCitation
from attribution.documents.grammars.sources_list import SourcesList
from attribution.documents.model import Issue, IssueCode
from attribution.documents.referencing import Ledger
from attribution.documents.source import CitableSource
from attribution.text import fold_words

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
