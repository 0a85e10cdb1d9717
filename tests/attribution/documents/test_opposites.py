"""A source that seems to say the opposite of what cites it. What is found is a reason to look, no proof."""

from __future__ import annotations

import pytest

from attribution import IssueCode, attribute_documents
from attribution.documents.opposites import find_opposition
from attribution.documents.statements import claim_words, directions
from attribution.documents.wording import Wording

OPPOSED = """
    You can take this medicine with alcohol. | Do not take this medicine with alcohol.
    Stop the medicine if you feel worse. | If you feel worse, do not stop the medicine; call your doctor.
    The MMR vaccine causes autism. | Large studies found no link between the MMR vaccine and autism.
    Sertraline can be combined with MAO inhibitors. | Sertraline must not be combined with MAO inhibitors.
    Drink alcohol with metronidazole. | Avoid alcohol while taking metronidazole and for 48 hours after.
    It is safe to drink alcohol with it. | Alcohol should be avoided.
    The first visit takes 90 minutes. | Plan 50 minutes for the first visit.
    The gene plays a trivial role in growth. | The gene drives growth.
    Magnesium is ineffective for cramps. | Magnesium reduced cramps by half.
    Nicotine patches have no effect on sleep. | Nicotine patches disturbed and shortened sleep.
    Yoga lowers blood pressure. | Yoga was not associated with blood pressure.
    Statins prevent strokes. | Statins caused more strokes.
    Most patients were cured. | A quarter of patients were cured.
    All nurses were vaccinated. | Only 40% of nurses were vaccinated.
    Two thirds of the patients slept better. | 31% of the patients slept better.
    More than half of the children have asthma. | 12% of the children have asthma.
    The clinic saves up to 5 billion dollars a year. | The clinic could save 3 million dollars a year.
    Ibuprofen and paracetamol work equally well for headache. | Ibuprofen worked better for headache than paracetamol.
    The spray makes breathing better. | Users of the spray had increased mortality and a higher risk of infection.
"""
NOT_OPPOSED = """
    Vaccines do not cause autism. | There is no evidence that vaccines cause autism.
    Take the tablet with food. | The tablet is taken with food.
    The dose was lowered in May. | In May the dose was reduced.
    Children should not take aspirin. | Aspirin must never be given to children.
    The clinic does not see children under 12. | The clinic doesn't see children under 12 on weekdays.
    The first visit takes 50 minutes. | Plan 50 minutes for the first visit.
    The gene plays a trivial role in growth. | The role of the gene in growth is negligible.
    Magnesium is ineffective for cramps. | Magnesium had no effect on cramps.
    Nicotine patches have no effect on sleep. | Sleep was unaffected by nicotine patches.
    Yoga lowers blood pressure. | Blood pressure fell in those who did yoga, not in those who read.
    Statins prevent strokes. | Statins reduced the number of strokes.
    Most patients were cured. | Of the patients, 82% were cured.
    Half of the tablets broke. | 52% of the tablets broke.
    The risk falls by a third. | The hazard ratio was 0.69, and 12% left.
    Two thirds of the patients slept better. | 66% of the patients slept better.
    Ibuprofen and paracetamol work equally well for headache. | For headache, ibuprofen and paracetamol worked similarly well.
    IL-2 patients were older. | 14 patients were older.
    COVID-19 patients were older. | Patients with SARS-CoV-2 infection were older.
    Not only does the spray help, it is cheap. | The spray helps and is cheap.
    The spray helps. | The spray not only helps, it is cheap.
    The vessels widen because of NO. | The vessels widen because of nitric oxide.
    Patients who do not smoke heal faster. | Wounds of patients healed faster when they did not smoke.
    At least ten people fell ill in May. | In May ten people became ill.
    Pangolins carry the virus. | The building has three lifts and no stairs.
"""


def pairs(text: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]


def is_opposed(claim: str, source: str) -> bool:
    return find_opposition(Wording(claim), [Wording(source)]).is_opposed()


@pytest.mark.parametrize(("claim", "source"), pairs(OPPOSED))
def test_an_opposite_is_noticed(claim: str, source: str) -> None:
    assert is_opposed(claim, source)


@pytest.mark.parametrize(("claim", "source"), pairs(NOT_OPPOSED))
def test_the_same_in_other_words_is_no_opposite(claim: str, source: str) -> None:
    assert not is_opposed(claim, source)


@pytest.mark.parametrize("entry", [*directions(), *claim_words()], ids=lambda entry: entry["name"])
def test_each_direction_is_read_as_its_examples_say(entry: dict[str, object]) -> None:
    assert entry["source"]
    examples = entry["examples"]
    assert isinstance(examples, list)
    assert examples
    for each in examples:
        assert is_opposed(each["claim"], each["source"]) is each["opposed"], each


def test_no_phrase_is_of_both_ends() -> None:
    for entry in directions():
        assert not set(entry["one"]) & set(entry["other"]), entry["name"]


def test_an_opposite_is_an_issue_that_caps_validity_and_trust() -> None:
    documents = [
        {"title": "Label", "url": "https://www.fda.gov/label", "content": "Do not take this medicine with alcohol."},
        {"title": "Guide", "url": "https://www.fda.gov/guide", "content": "The tablet is taken with food."},
    ]
    found = attribute_documents(response="You can take this medicine with alcohol [1]. Take the tablet with food [2].", documents=documents)

    assert [issue.code for issue in found.issues] == [IssueCode.OPPOSITE]
    assert (found.validity.colour, found.answer_trust.level) == ("yellow", "low")
    assert "1 citation failed a check: the source seems to say the opposite" in found.validity.reason
    assert found.answer_trust.trace.endswith("low because a check failed: the source seems to say the opposite")
    first, second = found.references
    assert first.check is not None
    assert second.check is not None
    assert first.check.support is not None
    assert second.check.support is not None
    assert (first.check.support.is_supported, second.check.support.opposite) == (False, "")


def test_a_long_source_is_read_once_for_all_that_cite_it() -> None:
    source = Wording("The tablet is taken with food. " * 20_000)
    first = find_opposition(Wording("Take the tablet with food."), [source])
    assert find_opposition(Wording("Take the tablet with food."), [source]) == first
