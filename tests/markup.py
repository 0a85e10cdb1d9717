"""Pages read as a browser reads them: a tree of elements. What is not well formed is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})


class Element:
    """An element with its attributes, its children and the text between them."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element | str] = []

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def get(self, name: str) -> str | None:
        return self.attributes.get(name)

    @property
    def text(self) -> str:
        """All text in it, white space as it is shown."""
        return " ".join(self.raw_text.split())

    @property
    def raw_text(self) -> str:
        return "".join(child if isinstance(child, str) else child.raw_text for child in self.children)

    def walk(self) -> Iterator[Element]:
        """It and everything in it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def find(self, tag: str = "", /, **attributes: Any) -> list[Element]:
        """All elements in it of a tag with these attributes: ``data_row="3"``, or ``data_row=True`` for whatever value."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [each for each in self.walk() if each is not self and (not tag or each.tag == tag) and each._has(wanted)]

    def one(self, tag: str = "", /, **attributes: Any) -> Element:
        """The only one of them."""
        found = self.find(tag, **attributes)
        assert len(found) == 1, f"{len(found)} × <{tag}> {attributes}"
        return found[0]

    def words_of(self, name: str) -> list[str]:
        """The words of an attribute, such as ``class``."""
        return self.attributes.get(name, "").split()

    def ids(self) -> Counter[str]:
        return Counter(each["id"] for each in self.walk() if "id" in each.attributes)

    def _has(self, wanted: dict[str, Any]) -> bool:
        return all(
            name in self.attributes if value is True else value in self.words_of(name) or value == self.attributes.get(name)
            for name, value in wanted.items()
        )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = self._add(tag, attrs)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._add(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> ends <{self._open[-1].tag}> at {self.getpos()}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def _add(self, tag: str, attrs: list[tuple[str, str | None]]) -> Element:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice at {self.getpos()}"
        strange = [name for name in names if not name.replace("-", "").replace("_", "").isalnum()]
        assert not strange, f"<{tag}> has the attributes {strange} at {self.getpos()}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        return element

    def finish(self) -> Element:
        self.close()
        assert self._open == [self.root], f"<{self._open[-1].tag}> is not ended"
        return self.root


def read_markup(response: HttpResponse) -> Element:
    """The tree of a page or a fragment."""
    reader = _Reader()
    reader.feed(response.content.decode())
    return reader.finish()
