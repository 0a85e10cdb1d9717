"""The pages and the label, over HTTP."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.client import Client
from benchmarks.measuring import Row, milliseconds_each, percentile, rate_of
from benchmarks.site import Site

_ITEM = re.compile(rb'href="(/items/[0-9a-f-]+/)"')
_LATER = re.compile(rb'href="\?([^"]*after=[^"]+)" rel="next"')
_FORM = re.compile(rb'id="label-(\d+)".*?name="attribution" value="([^"]+)"', re.DOTALL)
_LIST = "/queue/?state=to_do"
_FILTERED = "/queue/?state=to_do&guardrail=contradicted&model=caremate-4"


def measure(site: Site) -> Iterator[Row]:
    """List, record and label: one client for times, eight for rates."""
    client = site.reviewer()
    deep = _deep_address(client)
    yield Row("list, first page, p50", percentile(_times(client, _LIST, 40), 0.5), "ms", "8")
    for name, address in (("first page", _LIST), ("deep page", deep), ("filtered", _FILTERED)):
        yield Row(f"list, {name}, p95", percentile(_times(client, address, 40), 0.95), "ms", "25")
    yield Row("list, 8 clients", rate_of([_reader(site.reviewer(), _LIST, 25) for _ in range(8)]), "pages/s", "250")
    items = _ITEM.findall(client.get(_LIST))
    yield Row(
        "open one record, p50", percentile(milliseconds_each([lambda i=i: client.get(i.decode()) for i in items] * 2), 0.5), "ms", "10"
    )
    yield Row("save a label, p50", percentile(milliseconds_each(labels_of(client, items[0].decode(), 60)), 0.5), "ms", "4")
    workers = [_labeller(site.reviewer(), items[number + 1].decode(), 25) for number in range(8)]
    yield Row("save a label, 8 clients", rate_of(workers), "labels/s", "400")


def _times(client: Client, address: str, count: int) -> list[float]:
    return milliseconds_each([lambda: client.get(address)] * count)


def _reader(client: Client, address: str, count: int) -> Callable[[], int]:
    def read() -> int:
        for _ in range(count):
            client.get(address)
        return count

    return read


def _deep_address(client: Client) -> str:
    """A page far into the list, by following the links."""
    address = _LIST
    for _ in range(60):
        found = _LATER.search(client.get(address))
        if found is None:
            break
        address = _address(found)
    return address


def _address(later: re.Match[bytes]) -> str:
    return "/queue/?" + later[1].decode().replace("&amp;", "&")


def items_of(client: Client, count: int) -> list[str]:
    """Addresses of items to be reviewed, as the list gives them."""
    address, found = _LIST, list[str]()
    while len(found) < count:
        page = client.get(address)
        found += [each.decode() for each in dict.fromkeys(_ITEM.findall(page))]
        later = _LATER.search(page)
        if later is None:
            raise RuntimeError(f"only {len(found)} items to be reviewed")
        address = _address(later)
    return found[:count]


def labels_of(client: Client, item: str, count: int) -> list[Callable[[], object]]:
    """Calls that each save a label of an item's first row."""
    row, attribution = (found.decode() for found in _FORM.findall(client.get(item))[0])
    verdicts = ("correct", "wrong")

    def label(number: int) -> None:
        fields = {"row": row, "attribution": attribution, "verdict": verdicts[number % 2]}
        status, answer = client.post_form(item + "label/", fields, **{"HX-Request": "true"})
        if status != 200:
            raise RuntimeError(f"label: {status} {answer[:200]!r}")

    return [partial(label, number) for number in range(count)]


def _labeller(client: Client, item: str, count: int) -> Callable[[], int]:
    labels = labels_of(client, item, count)

    def give() -> int:
        for label in labels:
            label()
        return count

    return give
