"""The stripper in JavaScript: in Node and in Chromium it shows, piece by piece, what the one in Python shows."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from attribution import Stripper, strip, strip_history
from benchmarks.screenshot import CHROMIUM, CHROMIUM_FLAGS
from tests.attribution.cases import all_cases, cases
from tests.attribution.strategies import PIECES

MODULE = Path(__file__).parents[2] / "static" / "js" / "strip-markers.js"
NODE = shutil.which("node")
BROWSER = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
NEITHER = "Neither Node nor Chromium is installed, so the stripper in JavaScript was not tried."

HARNESS = r"""
async (module, questions) => {
  const { Stripper, strip, stripHistory, strippingStream } = module;
  const streamed = async (deltas) => {
    const shown = [];
    for await (const text of new ReadableStream({
      start(controller) { deltas.forEach((delta) => controller.enqueue(delta)); controller.close(); },
    }).pipeThrough(strippingStream())) shown.push(text);
    return shown;
  };
  const answers = {
    strip,
    history: stripHistory,
    is_of_category: ([text, category]) => new RegExp(`\\p{${category}}`, "u").test(text),
    feed: (deltas) => { const stripper = new Stripper(); return [...deltas.map((delta) => stripper.feed(delta)), stripper.finish()]; },
    stream: streamed,
    twice: (texts) => { const stripper = new Stripper(); return texts.map((text) => stripper.feed(text) + stripper.finish()); },
  };
  return JSON.stringify(await Promise.all(questions.map(([name, value]) => answers[name](value))));
}
"""

Question = tuple[str, Any]
Ask = Callable[[Iterable[Question]], list[Any]]
"""Asks the module, all at once, what it makes of values."""


def ask_node(folder: Path, questions: Iterable[Question]) -> list[Any]:
    shutil.copy(MODULE, folder / "strip-markers.mjs")
    (folder / "ask.mjs").write_text(
        f'import * as module from "./strip-markers.mjs";\nimport {{ readFileSync }} from "node:fs";\nconst ask = {HARNESS};\n'
        'process.stdout.write(await ask(module, JSON.parse(readFileSync(0, "utf8"))));\n',
        encoding="utf-8",
    )
    command = [NODE or "node", str(folder / "ask.mjs")]
    ended = subprocess.run(command, input=json.dumps(list(questions)).encode(), capture_output=True, check=True)  # noqa: S603 — our own module
    return json.loads(ended.stdout)


def ask_chromium(questions: Iterable[Question]) -> list[Any]:
    asking = (
        "async ([source, asked]) => { const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));"
        f" return await ({HARNESS})(await import(address), JSON.parse(asked)); }}"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=CHROMIUM_FLAGS)
        answers = browser.new_page().evaluate(asking, [MODULE.read_text(encoding="utf-8"), json.dumps(list(questions))])
        browser.close()
    return json.loads(answers)


@pytest.fixture(params=["node", pytest.param("chromium", marks=pytest.mark.browser)])
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Ask:
    if request.param == "node":
        if NODE is None:
            pytest.skip(NEITHER if BROWSER is None else "Node is not installed; the stripper in JavaScript is tried in Chromium.")
        return lambda questions: ask_node(tmp_path, questions)
    if BROWSER is None:
        pytest.skip(NEITHER if NODE is None else "Chromium is not installed; the stripper in JavaScript is tried in Node.")
    return ask_chromium


def shown(deltas: Iterable[str]) -> list[str]:
    stripper = Stripper()
    return [*(stripper.feed(delta) for delta in deltas), stripper.finish()]


def differing(ask: Ask, streams: list[list[str]]) -> list[tuple[list[str], list[str]]]:
    """Return the streams that the two do not show alike, with what JavaScript shows."""
    answers = ask(("feed", deltas) for deltas in streams)
    return [(deltas, answer) for deltas, answer in zip(streams, answers, strict=True) if answer != shown(deltas)]


def test_the_fixtures_cut_in_two_anywhere_are_shown_alike(ask: Ask) -> None:
    texts = [case.answer[:160] for case in cases("markers", "near_markers", "quoted_markers")]
    assert differing(ask, [[text[:place], text[place:]] for text in texts for place in range(len(text) + 1)]) == []


def test_all_answers_by_the_character_are_shown_alike(ask: Ask) -> None:
    assert differing(ask, [list(case.answer) for case in all_cases()]) == []


def test_invented_answers_in_pieces_are_shown_alike(ask: Ask) -> None:
    chance = random.Random(20)  # noqa: S311 — the same answers every time
    streams = []
    for _ in range(3_000):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 12)))
        places = sorted(chance.randint(0, len(text)) for _ in range(chance.randint(0, 6)))
        streams.append([text[start:end] for start, end in pairwise([0, *places, len(text)])])
    assert differing(ask, streams) == []


def characters() -> list[str]:
    """Return every assigned character; of the many letters that have neither case nor another form, one in sixteen."""
    every = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Co")]
    return [each for each in every if unicodedata.category(each) != "Lo" or unicodedata.decomposition(each) or ord(each) % 16 == 0]


def test_every_character_in_a_marker_is_read_alike(ask: Ask) -> None:
    """Of two versions of Unicode, the characters in which they agree."""
    texts = {each: f"[[SF:{each}]] [[SF:a{each}]] [[SF:語{each}]] [[SF:-{each}.a]] [[SF:1{each}]] [[{each}:a]]" for each in characters()}
    answers = ask(("strip", text) for text in texts.values())
    unlike = [each for each, answer in zip(texts, answers, strict=True) if answer != strip(texts[each])]
    agreed = ask(("is_of_category", [each, unicodedata.category(each)]) for each in unlike)
    assert [f"U+{ord(each):04X}" for each, is_agreed in zip(unlike, agreed, strict=True) if is_agreed] == []


def test_lengths_are_counted_in_characters(ask: Ask) -> None:
    names = ["🙂", *(letter * count for letter in "a語𐐷" for count in range(60, 70)), "𐐷" * 32 + "." + "𐐷" * 31]
    texts = [f"{before}[[SF:{name}]] so" for name in names for before in ("", " ", "low ", "𐐷", " [[")]
    assert differing(ask, [pieces for text in texts for pieces in ([text], list(text), [text[:40], text[40:]])]) == []


def test_a_character_that_is_cut_in_half_on_its_way_is_whole_in_the_end(ask: Ask) -> None:
    halves = ["low [[SF:\ud801", "\udc37]] so \ud83d", "\ude42"]
    assert ["".join(answer).encode("utf-16", "surrogatepass").decode("utf-16") for answer in ask([("feed", halves)])] == ["low so 🙂"]


def test_a_stripper_can_be_used_again_after_the_end(ask: Ask) -> None:
    assert ask([("twice", ["a [[SF:", "b [[SF:flags]]"])]) == [["a [[SF:", "b"]]


def test_a_stream_is_stripped_as_it_comes(ask: Ask) -> None:
    deltas = ["Low", " [[SF:", "risk_level]]", ". Call [[", "us"]
    assert ask([("stream", deltas)]) == [shown(deltas)]


def test_a_history_loses_the_markers_of_the_assistant_alone(ask: Ask) -> None:
    messages = [
        {"role": "assistant", "content": "Low [[SF:risk_level]]."},
        {"role": "user", "content": "Low [[SF:risk_level]]."},
        {"role": "assistant", "content": None},
        {"role": "assistant", "tool_calls": []},
        {"role": "assistant", "content": [{"type": "text", "text": "Low [[SF:risk_level]]."}, {"type": "image"}, "[[SF:x]]", None, 3]},
        {"content": "Low [[SF:risk_level]]."},
    ]
    assert ask([("history", messages)]) == [strip_history(messages)]
