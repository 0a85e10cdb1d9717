"""Look citations up in exactly the sources that the model was given, and say everything that is wrong, not only the first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from attribution.budget import MOST_CHECKED, Budget
from attribution.documents.references import IssueCode, Pointer
from attribution.documents.sources import CitableSource, own_numbers, same_page


def with_own_ids(sources: Sequence[CitableSource], documents: Sequence[CitableSource]) -> list[CitableSource]:
    """The sources with ids that differ: two calls may have come under one name."""
    seen = {source.id for source in documents}
    different: list[CitableSource] = []
    for source in sources:
        name, again = source.id, 1
        while name in seen:
            again += 1
            name = f"{source.id}.{again}"
        seen.add(name)
        different.append(source if name == source.id else source._replace(id=name))
    return different


def without_known(carried: Sequence[CitableSource], known: Sequence[CitableSource]) -> list[CitableSource]:
    """The sources that are not among the known ones by address, by id, or where both have no address by title; each once."""
    seen = {("uri", same_page(source.uri)) for source in known if source.uri}
    seen |= {("id", source.source_id) for source in known if source.source_id}
    seen |= {("title", folded_title(source.title)) for source in known if source.title}
    kept: list[CitableSource] = []
    for source in carried:
        names = [("uri", same_page(source.uri))] if source.uri else [("title", folded_title(source.title))] if source.title else []
        names += [("id", source.source_id)] if source.source_id else []
        if seen.isdisjoint(names):
            kept.append(source)
            seen.update(names)
    return kept


def folded_title(title: str) -> str:
    """A title as it is compared."""
    return " ".join(title.casefold().split())


_MOST_LISTED = 4


class Verdict(NamedTuple):
    """The source that is meant, or why there is none."""

    source: CitableSource | None
    code: IssueCode | None = None
    message: str = ""


class SourceIndex:
    """The sources of a turn by their place, ids, address and title."""

    def __init__(
        self,
        documents: Sequence[CitableSource],
        others: Sequence[CitableSource] = (),
        *,
        numbers_are_places: bool = False,
    ) -> None:
        """``others`` are those of tools and of a provider's response."""
        self._budget = Budget(MOST_CHECKED)
        self._documents = documents
        self.others = others
        self._given = frozenset([source.id for source in documents])
        self.places = documents or others
        self._numbers = {} if numbers_are_places else own_numbers(self.places)
        self.all = [*documents, *others]
        self._by_source: dict[str, list[CitableSource]] = {}
        self._by_page: dict[str, list[CitableSource]] = {}
        self._by_title: dict[str, list[CitableSource]] = {}
        unnamed: dict[str, list[CitableSource]] = {}
        for source in self.all:
            for name in dict.fromkeys((source.source_id, source.source_id.replace(":", "_"))):
                if name:
                    self._by_source.setdefault(name, []).append(source)
            for page in dict.fromkeys((same_page(source.uri), same_page(source.path))):
                if page:
                    self._by_page.setdefault(page, []).append(source)
            if source.id not in self._given or not source.source_id:
                unnamed.setdefault(source.id, [source])
            if source.title:
                self._by_title.setdefault(folded_title(source.title), []).append(source)

        self._by_source = {**unnamed, **self._by_source}

    @property
    def known(self) -> Mapping[str, object]:
        """The ids that sources have."""
        return self._by_source

    def resolve(self, pointer: Pointer, quote: str = "") -> Verdict:
        """The one source that ``pointer`` means. A ``quote`` tells the chunks of one source apart where no chunk is named."""
        if pointer.is_position and pointer.place is not None:
            return self._at_position(pointer, pointer.place, quote)
        if pointer.place is not None:
            return self._at(pointer)
        if pointer.source:
            verdict = self._by_ids(pointer, quote)
            if verdict.code is IssueCode.UNKNOWN_SOURCE and (pointer.uri or pointer.title) and not pointer.namespace:
                named = self._by_name(pointer, quote)
                return verdict if named.code is IssueCode.UNKNOWN_SOURCE else named
            return verdict
        if pointer.uri or pointer.title:
            return self._by_name(pointer, quote)
        return Verdict(None, IssueCode.MALFORMED, f"‘{_short(pointer.written)}’ does not say what it cites")

    def _at(self, pointer: Pointer) -> Verdict:
        place = pointer.place or 0
        if self._numbers:
            numbered = self._numbers.get(place)
            return Verdict(numbered) if numbered else Verdict(None, IssueCode.OUT_OF_RANGE, f"no document has the number {place}")
        if 1 <= place <= len(self.places):
            return Verdict(self.places[place - 1])
        return self._out_of_range(place, self.places, self.others if self._documents else ())

    def _at_position(self, pointer: Pointer, place: int, quote: str) -> Verdict:
        """Resolve a citation of a provider that counts its sources: by id, then by place, unless the title is that of another."""
        if pointer.source in self._by_source and (not self._documents or self._by_source[pointer.source][0].id in self._given):
            return self._by_ids(pointer, quote)
        if not 1 <= place <= len(self._documents):
            if self._documents or pointer.source in self._by_source or pointer.title:
                named = self.resolve(pointer._replace(place=None), quote)
                if named.source:
                    return named
            return self._out_of_range(place, self._documents)
        source = self._documents[place - 1]
        titled = self._by_title.get(folded_title(pointer.title), []) if pointer.title else []
        if source.title and len(titled) == 1 and folded_title(source.title) != folded_title(pointer.title):
            return Verdict(titled[0])
        return Verdict(source)

    @staticmethod
    def _out_of_range(place: int, sources: Sequence[CitableSource], others: Sequence[CitableSource] = ()) -> Verdict:
        there = f"there are {len(sources)}" if len(sources) != 1 else "there is 1"
        behind = place - len(sources)
        meant = [others[number - 1].id for number in (place, behind) if 1 <= number <= len(others)]
        why = f"; numbers mean documents, not what tools returned ({_short(' or '.join(dict.fromkeys(meant)))})" if meant else ""
        return Verdict(None, IssueCode.OUT_OF_RANGE, f"document {place} is cited, {there}{why}")

    def _by_ids(self, pointer: Pointer, quote: str) -> Verdict:
        of_source = self._by_source.get(pointer.source) or self._by_name_in_source(pointer.source)
        if not of_source:
            return Verdict(None, IssueCode.UNKNOWN_SOURCE, f"no source ‘{_short(pointer.source)}’ was given to the model")
        if pointer.namespace:
            of_namespace = [source for source in of_source if source.namespace == pointer.namespace]
            if not of_namespace:
                where = f"‘{_short(pointer.source)}’ was not given in the namespace ‘{_short(pointer.namespace)}’"
                return Verdict(None, IssueCode.UNKNOWN_SOURCE, where)
            of_source = of_namespace
        of_chunk = [source for source in of_source if source.chunk_id == pointer.chunk] if pointer.chunk else of_source
        if not of_chunk:
            return Verdict(None, IssueCode.UNKNOWN_CHUNK, self._without_chunk(pointer, of_source))
        if quote and not pointer.chunk and len(of_chunk) > 1:
            of_chunk = self._holding(quote, of_chunk)
        return self._only(of_chunk, pointer)

    def _by_name_in_source(self, name: str) -> list[CitableSource]:
        """Sources whose address or title was written where an id belongs."""
        return self._by_page.get(same_page(name), []) if "://" in name else self._by_title.get(folded_title(name), [])

    @staticmethod
    def _without_chunk(pointer: Pointer, of_source: Sequence[CitableSource]) -> str:
        chunks = ", ".join([f"‘{_short(source.chunk_id)}’" for source in of_source[:_MOST_LISTED] if source.chunk_id])
        given = f"; it was given with {chunks}" + (", …" if len(of_source) > _MOST_LISTED else "") if chunks else ""
        return f"‘{_short(pointer.source)}’ has no chunk ‘{_short(pointer.chunk)}’{given}"

    def _by_name(self, pointer: Pointer, quote: str) -> Verdict:
        found = self._by_page.get(same_page(pointer.uri), []) if pointer.uri else []
        found = found or (self._by_title.get(folded_title(pointer.title), []) if pointer.title else [])
        if not found:
            name = _short(pointer.uri or pointer.title)
            return Verdict(None, IssueCode.UNKNOWN_SOURCE, f"no source ‘{name}’ was given to the model")
        if quote and len(found) > 1:
            found = self._holding(quote, found)
        return self._only(found, pointer)

    def _only(self, found: Sequence[CitableSource], pointer: Pointer) -> Verdict:
        """The one source found; several are ambiguous, unless they are the same chunk found twice. Nothing is guessed."""
        is_compared = self._budget.take(len(found))
        if len(found) == 1 or (is_compared and len({_identity(source) for source in found}) == 1):
            return Verdict(found[0])
        spaces = _listed(source.namespace for source in found) if is_compared else ""
        why = f", in the namespaces {spaces}" if spaces and not pointer.namespace else ""
        return Verdict(None, IssueCode.AMBIGUOUS, f"‘{_short(pointer.written)}’ fits {len(found)} sources{why}")

    def _holding(self, quote: str, sources: list[CitableSource]) -> list[CitableSource]:
        """Return those that hold a quote; all of them where none does, or where it would take too long to look."""
        if not self._budget.take(sum([20 + len(source.content) // 64 for source in sources])):
            return sources
        return [source for source in sources if quote in source.content] or sources


def _identity(source: CitableSource) -> tuple[str, ...]:
    """Return what makes two hits the same one."""
    return (source.namespace, source.source_id, source.chunk_id, source.content)


def _listed(names: Iterable[str]) -> str:
    different = [name for name in dict.fromkeys(names) if name]
    return ", ".join([_short(name) for name in different[:_MOST_LISTED]]) if len(different) > 1 else ""


def _short(name: str) -> str:
    return name if len(name) <= 80 else name[:79] + "…"
