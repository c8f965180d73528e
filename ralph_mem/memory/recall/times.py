"""Read the time that a query names, such as `yesterday`, `last week`, `in May` or `3 June 2025`.

Loaded only for a query that may name one.
"""

import time

from ralph_mem.memory.rows import query_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int]  # from, and until which, in ms since 1970
    Day = tuple[int, int, int]

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ORDINALS = ("st", "nd", "rd", "th")
# What may stand beside a time in a question about nothing else, and what says that it is about the past.
PAST = frozenset(
    "did done was were been have had worked happened changed finished stopped left made built decided recap summarize"
    " summarise summary remind".split()
)
OF_TIMES = PAST | frozenset(
    (
        *MONTHS,
        *WEEKDAYS,
        *"yesterday today last past ago day days week weeks month months year night morning work working change things".split(),
    )
)
ASKING = frozenset("what where which who how recap summarize summarise summary remind".split())
YET_TO_COME = frozenset("will should shall would can could must need needs plan todo if".split())
TO_OR_FROM = frozenset("before since until after from to and between not".split())  # of another time than the one that is named
BEFORE_MONTH = frozenset("in of on during since last early late mid until by this from".split())
BEFORE_YEAR = frozenset("in of during since last early late mid until by from".split())
BEFORE_WEEKDAY = frozenset("on last since this".split())
LONGEST_NUMBER = 4  # digits
MARKS = ".,:;!?¿¡()[]{}<>'\"`"
# The question alone in German, Spanish and French: what may stand in it, of what it has a word each, and the names of these times,
# of the days of a week and of the months. Accents are left out, as many who type do.
TIMES = ("today", "yesterday", "2 days ago", "this week", "last week", "this month", "last month")
ELSEWHERE = (
    (
        "was wo woran haben habe hast hat wurde wir ich du alles hallo guten morgen am im letzten letzte vergangenen",
        ("gemacht getan geandert erledigt geschafft gearbeitet passiert",),
        ("heute", "gestern", "vorgestern", "diese woche", "letzte woche", "diesen monat", "letzten monat"),
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "januar februar marz april mai juni juli august september oktober november dezember",
    ),
    (
        "que en hemos he has se hola buenos dias el este pasado de del",
        ("hicimos hice hiciste hizo hecho cambiamos cambio trabajamos paso",),
        ("hoy", "ayer", "anteayer", "esta semana", "la semana pasada", "este mes", "el mes pasado"),
        "lunes martes miercoles jueves viernes sabado domingo",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    ),
    (
        "qu'est-ce qu'on que quoi sur on nous tu bonjour salut le en au mois de dernier",
        ("fait change travaille", "a as avons j'ai qu'avons-nous qu'as-tu"),
        ("aujourd'hui", "hier", "avant-hier", "cette semaine", "la semaine derniere", "ce mois-ci", "le mois dernier"),
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    ),
)
ACCENTS = str.maketrans("\u2019àáâäçèéêíîóôúûüñ", "'aaaaceeeiioouuun")
FIRST_YEAR, LAST_YEAR = 1990, 2100


def asks_what_was_done(query: str) -> bool:
    """Say whether a query that names a time asks what was done then, and nothing else."""
    words = {word.strip(MARKS) for word in query.lower().split()}
    others = [term for term in query_text.terms(query) if term not in OF_TIMES and not term.isdecimal()]
    return not (others or PAST.isdisjoint(words) or ASKING.isdisjoint(words)) and YET_TO_COME.isdisjoint(words)


def alone(query: str, now: int) -> "Span | None":
    """Return the time that a query names and nothing else: `yesterday`, `2026-11-26`, `on June 3rd`, `Monday`, `gestern`.

    What stands in quotes is text.
    """
    if '"' in query:
        return None
    low = query.lower().translate(ACCENTS).strip(MARKS + " ")
    for names in [names for _, _, names, _, _ in ELSEWHERE]:
        low = TIMES[names.index(low)] if low in names else low
    others = [term for term in query_text.terms(low) if not (term in OF_TIMES or _day(term) or _year(term))]
    if others or not (YET_TO_COME | TO_OR_FROM).isdisjoint(low.split()):
        return None
    return named("on " + low if low in WEEKDAYS else low, now)


def asked_elsewhere(query: str, now: int) -> "Span | None":
    """Return the time of a question in German, Spanish or French that asks what was done then, and nothing else."""
    given = " ".join(["", *[word.strip(MARKS) for word in query.lower().translate(ACCENTS).split()], ""])
    for beside, done, names, days, months in ELSEWHERE:
        known = [*zip(names, TIMES), *zip(days.split(), [f"on {day}" for day in WEEKDAYS]), *zip(months.split(), MONTHS)]
        for name, meant in [each for each in known if f" {each[0]} " in given]:
            before, after = [part.split() for part in given.split(f" {name} ", 1)]
            day, year = [[word for word in part if word.isdecimal() and meant in MONTHS] for part in (before, after)]
            words = set(before + after).difference(day, year)
            is_past = all([words.intersection(each.split()) for each in done])
            if is_past and words.issubset(" ".join([beside, *done]).split()):
                return named(" ".join([*(day or ["in"]), meant, *year]) if meant in MONTHS else meant, now)
    return None


def named(query: str, now: int) -> "Span | None":
    """Return the span of time that a query names, as seen from a time in ms and by the clock here; nothing without one.

    Days, months and years without a year lie in the past. Of several the first one counts.
    """
    words = [word.strip(MARKS) for word in query.lower().split()]
    year, month, day, *_, weekday = time.localtime(now / 1000)[:7]
    today = (year, month, day)
    for at in range(len(words)):
        before = words[at - 1] if at else ""
        rest = [*words[at : at + 3], "", ""]
        found = _date(before, rest, today) or _of_calendar(before, rest, today, weekday) or _counted(before, rest, today)
        if found:
            return found
    return None


def _date(before: str, words: "list[str]", today: "Day") -> "Span | None":
    """Return a date: `2025-06-03`, `3 June 2025`, `June 3rd`, `in June`, `June 2025`, `in 2025`."""
    first, second, third = words[:3]
    if len(first) == 10 and first[4:5] == first[7:8] == "-" and (first[:4] + first[5:7] + first[8:]).isdecimal():
        return _days((int(first[:4]), int(first[5:7]), int(first[8:])), 1)
    if _day(first) and _month(second):
        return _day_of(_month(second), _day(first), third, today)
    if _month(first) and _day(second):
        return _day_of(_month(first), _day(second), third, today)
    if _month(first) and (_year(second) or before in BEFORE_MONTH):
        year = _year(second) or today[0] - (_month(first) > today[1])
        return _span((year, _month(first), 1), (year, _month(first) + 1, 1))
    if _year(first) and before in BEFORE_YEAR:
        return _span((_year(first), 1, 1), (_year(first) + 1, 1, 1))
    return None


def _of_calendar(before: str, words: "list[str]", today: "Day", weekday: int) -> "Span | None":
    """Return a day, week, month or year by its place beside today: `yesterday`, `last week`, `this month`, `on Monday`."""
    first, second = words[:2]
    year, month, day = today
    if first in ("today", "yesterday"):
        return _days((year, month, day - (first == "yesterday")), 1)
    if first in WEEKDAYS and before in BEFORE_WEEKDAY:
        back = (weekday - WEEKDAYS.index(first)) % 7
        return _days((year, month, day - (back or 7)), 1)
    if first not in ("last", "this"):
        return None
    back = first == "last"
    starts = {"night": (year, month, day - back), "week": (year, month, day - weekday - 7 * back), "month": (year, month - back, 1)}
    ends = {"night": (0, 0, 1), "week": (0, 0, 7), "month": (0, 1, 0), "year": (1, 0, 0)}
    begins = {**starts, "year": (year - back, 1, 1)}.get(second)
    return _span(begins, _plus(begins, ends[second])) if begins else None


def _counted(before: str, words: "list[str]", today: "Day") -> "Span | None":
    """Return what is counted back from today: `3 weeks ago`, `the past 2 days`."""
    first, second, third = words[:3]
    number, unit = int(first) if first.isdecimal() and len(first) < LONGEST_NUMBER else 0, second.removesuffix("s")
    if not number or unit not in ("day", "week", "month"):
        return None
    days = number * {"day": 1, "week": 7, "month": 30}[unit]
    year, month, day = today
    if third == "ago":
        around = {"day": 0, "week": 3, "month": 15}[unit]
        return _days((year, month, day - days - around), 2 * around + 1)
    return _days((year, month, day - days), days + 1) if before in ("last", "past") else None


def _plus(first: "Day", more: "Day") -> "Day":
    return first[0] + more[0], first[1] + more[1], first[2] + more[2]


def _month(word: str) -> int:
    return MONTHS.index(word) + 1 if word in MONTHS else 0


def _day(word: str) -> int:
    bare = word[:-2] if word.endswith(ORDINALS) else word
    return int(bare) if bare.isdecimal() and len(bare) < 3 and int(bare) <= 31 else 0


def _year(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) == 4 and FIRST_YEAR <= int(word) <= LAST_YEAR else 0


def _day_of(month: int, day: int, year: str, today: "Day") -> "Span | None":
    return _days((_year(year) or today[0] - ((month, day) > today[1:]), month, day), 1)


def _days(first: "Day", count: int) -> "Span | None":
    return _span(first, (first[0], first[1], first[2] + count))


def _span(first: "Day", after: "Day") -> "Span | None":
    """Return the span between the beginnings of two days; days and months may lie outside of their range."""
    try:
        start, end = [int(time.mktime((*each, 0, 0, 0, 0, 0, -1)) * 1000) for each in (first, after)]
    except (OverflowError, ValueError):
        return None
    return start, end
