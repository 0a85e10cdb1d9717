"""Closed classes of English words that tell whether another value is stated at all, and of which field."""

from __future__ import annotations

from attribution.word_classes import stems, words

MODALS = words("could might may should become becomes")
"""Words that make a value a possibility or a bound."""

CONFIRMING = stems("""
    confirm confirmed correct right book booked booking reserve reserved reservation schedule scheduled buy purchase order okay ok
    fine work sound please want wish prefer instead like
""")
"""A question with one of these says over again what is to be done: it states its values."""

ARRANGING = CONFIRMING - stems("like") | stems("""
    see meet expect come visit slot available cost costs costing price total pay reach contact number rated rating
""")
"""Words of a sentence that tells what is arranged or on record."""

CONTRASTED = words("unlike than besides or versus not no either neither nor")
"""Before a word of a closed set, what names it beside the value that is meant."""

OFFERING = (
    *(("how", "about"), ("what", "about"), ("would", "you"), ("do", "you", "want"), ("do", "you", "wish"), ("shall", "i")),
    *(("should", "i"), ("what", "do", "you", "think"), ("how", "do", "you", "feel"), ("how", "does"), ("have", "you", "heard")),
    ("what", "is", "your", "opinion"),
)
"""Words that begin a question which offers its values."""

ASKING = words("is are was were does do did has have had can could will would what which when where who whose why how any")
"""Words that begin a question which only asks."""


STREETS = words("""
    street st avenue ave road rd drive dr boulevard blvd lane ln court ct place pl square sq highway hwy way terrace parkway pkwy circle
    alley plaza broadway row route suite
""")
"""Words that end the name of a street."""
