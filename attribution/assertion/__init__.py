"""The assertion of a mention: how a sentence means it, after NegEx, ConText and the assertion classes of i2b2 2010.

Triggers, pseudo-triggers, terminators and reach are data, in ``lexicon/assertion.json``; English and Spanish have them.
"""

from attribution.assertion.clauses import Clauses
from attribution.assertion.reading import Assertion, Assertions, read_assertions
from attribution.assertion.triggers import AssertionKind

__all__ = ["Assertion", "AssertionKind", "Assertions", "Clauses", "read_assertions"]
