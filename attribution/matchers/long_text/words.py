"""Words that tell nothing of what a sentence is about."""

from __future__ import annotations

from attribution.word_classes import stems, words

_GRAMMAR = """
    a an the this that these those such same each every any some all both either neither other another more most much many few several less
    i me my mine we us our you your he him his she her it its they them their theirs who whom whose which what where when why how
    am is are was were be been being do does did doing done have has had having will would shall should can could may might must ought
    and or but nor so if then than as because since while although though whether unless until of at by for with about against between
    into through during before after above below to from up down in out on off over under again once here there not no yes only own too
    very just also even still yet ever never however therefore thus rather quite really well almost always often sometimes usually maybe
    perhaps actually especially s t d ll m re ve don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn
    got get gets getting go goes going went gone make made makes let lot lots thing things way something anything everything nothing
    one ones someone anyone everyone nobody else like within without per via etc
"""

_REPORTING = """
    say says said saying tell tells told mention mentioned mentions state states stated report reports reported according describe described
    note notes noted think thinks believe find found finds look looks looking seem seems seemed appear appears know knows known
    comment commented review reviews reviewer reviewers rating ratings customer customers guest guests people person others client clients
    patient patients summary record records
"""
"""What tells that something is said, and by whom: an answer speaks of its sources in these words, whatever they say."""

_COURTESY = "please thank thanks sorry sure hello hi ok okay help want wants need needs question questions ask asked let wish"

_GRAMMAR_ELSEWHERE = """
    y o e u de del la las el los lo le les un una unos unas en con por para que se su sus mi tu al como pero si muy ya es ha han
    et ou du des au aux une est sont dans sur avec pour pas ne und oder der das dem ein eine ist sind mit von zu auf nicht
    b c f g h j k l n p q r v w x z
"""
"""The same of the languages that answers are also written in, and single letters."""

EMPTY_WORDS = words(_GRAMMAR) | words(_GRAMMAR_ELSEWHERE) | words(_REPORTING) | words(_COURTESY)
EMPTY = stems(_GRAMMAR) | stems(_GRAMMAR_ELSEWHERE) | stems(_REPORTING) | stems(_COURTESY)
"""What no sentence is recognised by, as words and as stems."""
