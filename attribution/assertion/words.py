"""Closed classes of English words that tell whether something is stated, denied, or neither."""

from __future__ import annotations

from attribution.text import stems, words

HARD_DIVIDERS = words("but though although however except whereas while because so since")
"""Words and signs that divide two things said: nothing reaches over it."""

SOFT_DIVIDERS = words("and or nor plus")
"""Words and signs that join two things said, or two things of which one is said."""

VERBS = stems("""
    is are was were am be been s re ve ll has have had having do does did done can could may might will would shall should must cannot
    offer provide include serve allow permit accept take welcome come feature carry sell need require get give treat speak perform keep
    bring play support cover host run lack want let use operate participate got
""")
"""Words with which something is said of a thing; folding leaves "s" of "it's"."""

NOUNS_TOO = words("support coverage care play use cover access")
"""Words of these that are nouns where they close a part: "no Mac or Linux support"."""

NAMING = words("never without nothing beyond")
"""Denials that begin a name where words in capitals follow: "Never Alone"."""

VERBAL_DENIALS = words("not never cannot cant dont doesnt isnt arent wont neither nor none nothing nobody hardly")
"""Words that deny the verb behind them, and so all of its part of the sentence."""

QUANTIFIED_DENIALS = words("none nothing nobody neither nor")

FORWARD_DENIALS = words("no without zero non minus sans")
"""Words that deny only the thing named behind them."""

ADVERBS = words("""
    currently yet also actually even really necessarily always usually typically generally ever presently quite at all any longer anymore
    be been being to a an the still
""")
"""Words that may stand between a denial and the word it denies."""

FREEING = words("only just merely simply")
"""Behind "not", words that announce more rather than deny."""

DENYING_AFTER_ALL = words("now yet")

KNOWING = stems("""
    know knew known sure certain aware clear confirm confirmed specify specified mention mentioned state stated list listed see say said
    tell find found locate information detail details idea record word data answer unsure indicate indicated note show information
""")
"""Denied, these leave open what is so: "not sure", "not specified", "no information"."""

HARMLESS = stems("""
    problem problems issue issues doubt worries worry trouble wonder question matter charge cost costs fee deposit extra additional
    surcharge limit restriction objection rule price forget hesitate miss hurt payment hassle
""")
"""Denied, these deny nothing of what is spoken of: "no extra charge for pets"."""

REVERSING = stems("""
    prohibit prohibited prohibition ban banned forbid forbids forbidden disallow disallowed exclude excluded unavailable unable
    impossible unwelcome refused denied discontinued suspended disabled deactivated inactive
""")
"""Words that deny without a negation, and state where they are denied."""

REVERSING_PAIRS = (
    ("off", "limits"),
    ("ruled", "out"),
    ("rules", "out"),
    ("ruling", "out"),
    ("turned", "off"),
    ("switched", "off"),
    ("is", "off"),
    ("gave", "up"),
    ("given", "up"),
)
"""Reversing expressions of two words."""

CLOSING_AT = words("at around by early soon")
"""Behind "closes", what makes it tell when something that is open closes."""

OVER = words("gone stopped ceased resolved cleared subsided vanished disappeared healed lifted ended abated faded passed broke")
OVER_PAIRS = (("went", "away"), ("gone", "away"), ("came", "off"), ("come", "off"), ("let", "up"), ("worn", "off"), ("wore", "off"))
"""Verbs behind a thing by which it is there no more: "the rash has cleared"."""
BEFORE_OVER = words("is are was were be been has have had s ve re now all completely fully finally totally since already entirely t not")
AFTER_OVER = words("""
    up now since on in after when last yesterday this by completely and but with once within over for at around about ago two three four
    away before during entirely altogether as today overnight
""")
"""Words that may stand between a thing and such a verb, and behind it, where it has no object."""

REVERSING_BEFORE = stems("lack lacks lacking mind object")
"""Reversing words that stand before the thing they are about."""

ENDING = stems("stop stopped cease quit halt pause suspend refuse decline close closes")
"""Verbs that end the verb behind them."""

REFUSING = stems("refuse decline cease")
"""Words of ``ENDING`` that have "to" behind them."""

PREPOSITIONS = words("for to on in at with of about against into from by as")

PRONOUNS = words("it they he she there you we i that this these those the")

SUBJECTS = words("i you he she it we they")

REQUIRING = stems("require required requirement mandatory necessary compulsory")
"""Said of a thing, these tell nothing of whether there is one."""

NEEDING = stems("need needed needs")
"""Words that say so directly before the thing."""

ANSWERING = stems("""
    allow allowed permit permitted welcome available offered offer provide provided include included accept accepted possible needed need
    required require necessary served serve supported option present there here given covered cover honored taken take treated included
    performed done used open access accessible enter use bring come stay part something friendly mandatory acceptable ok okay
    tolerated provided on work exist mandatory have get one try tried prescribe prescribed start started detect detected
""")
"""Words that a negation may deny behind the thing that is spoken of: "pets are not allowed", but not "the wifi is not free"."""

WANTING = words(
    "want wanted wants looking search searching ask asked request requested prefer preferred wish hope hoping seek seeking wonder"
)
"""Words of wanting or asking: their object is not stated."""

POSSIBLE = words("might maybe perhaps possibly unsure unclear unknown")

CHECKING = words("check verify ensure")

ABOUT = words("about regarding concerning")

REQUESTING = words("please me you to")
"""Before "confirm", what makes it a request."""

CONDITIONS = words("if whether unless")

OTHER_HEADS = stems("""
    counseling counselling abuse addiction cessation recovery store shop school sitter password card cards code lawyer lesson
    teacher street avenue rescue shelter supplies groomer hospital museum dependence dependency disorder bonus agent broker
    detector alarm clinic withdrawal poisoning license intake misuse chat physician history
""")
"""Behind a word, what makes it the name of another thing: a pet store, alcohol counseling."""

DISORDERS = words("bipolar schizoaffective cyclothymic")
"""Words for what is a disorder, whether or not the word is said behind them."""

ASKING = words("would do does shall can could should want may is are what which how when where will have has did")
"""Words with which a question begins."""

SEEKING_ASSENT = words("right correct true yes")
"""Words that ask for assent to all of the sentence: "…, is that right?"."""

YES_WORDS = words("yes yeah yep yup sure certainly absolutely definitely")
