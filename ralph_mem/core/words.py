"""The words of a query: which of them carry meaning."""

from ralph_mem.core import index_text

QUERY_CHARACTERS = 1000
MOST_TERMS = 32
STOPWORDS = frozenset(
    "a about above after again all also am an and any are as at be because been before being below between both but by can"
    " could did do does doing done down during each either else even ever every few for from further get gets getting give"
    " given go goes going gone got had has have having he her here hers him his how i if im in into is it its itself ive just"
    " know let lets like ll made make makes making many may me might more most much must my need needs no nor not now of off"
    " ok okay on once one only onto or other our ours out over own please put quite rather re really same say see seem she"
    " should shall since so some something still such take than thank thanks that the their them then there these they thing"
    " things this those through to too under until up upon us use used uses using ve very via want wants was way we well were"
    " what whats when where whether which while who whom whose why will with within without would yes yep yeah nope you your"
    " yours don doesn didn isn aren wasn won couldn shouldn already instead actually always never though another per etc around"
    " anything everything nothing something seems says means enough maybe probably hi hello hey sure continue proceed ahead"
    " right cool great nice perfect good fine next again stop wait back"
    # the same for languages whose words stand alone
    " der die das und ist nicht ein eine mit für auf wie was le la les et est pas une des pour que qui el los las es un por"
    " con como para и в не на что как это по".split()
)


def terms(query: str) -> "list[str]":
    """Return the words of a query that carry meaning, the beginning and the end of a long one."""
    if len(query) > QUERY_CHARACTERS:
        query = query[: QUERY_CHARACTERS // 2] + " " + query[-QUERY_CHARACTERS // 2 :]
    found = [word for word in index_text.words(query) if len(word) > 1 and word not in STOPWORDS]
    return found[:MOST_TERMS]
