import pytest
from hypothesis import HealthCheck, given, settings, strategies

from ralph_mem.bench import histories, measures, retrieval
from tests.bench.conftest import a_memory, a_query, a_set

COMPARED = {"difference", "low", "high", "p"}


def ranking(found, name="lexical"):
    """Return the rankings of every query, by its text."""
    return {each.query.text: each.rankings[name] for project in found.projects for each in retrieval.answers(project, found.unit)}


def test_every_query_is_asked_as_of_its_place(read):
    lantern = [a_query("lantern", "m0", before="m3"), a_query("a lantern", "m3"), a_query("heron", "m1", before="m1")]
    found = read(a_set(*lantern))
    assert ranking(found) == {"heron": [], "lantern": ["m0"], "a lantern": ["m3", "m0"]}
    assert ranking(found, "fts5") == {"heron": [], "lantern": ["m0"], "a lantern": ["m3", "m0"]}
    assert ranking(found, "newest") == {"heron": ["m0"], "lantern": ["m2", "m1", "m0"], "a lantern": ["m3", "m2", "m1", "m0"]}


WORDS = "lantern heron boathouse varnish pier shutter".split()


@pytest.mark.check
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strategies.data())
def test_what_comes_later_is_never_an_answer(read, data):
    drawn = data.draw(
        strategies.lists(strategies.tuples(strategies.sampled_from(WORDS), strategies.booleans()), min_size=1, max_size=8)
    )
    memories = [
        a_memory(number, f"the {word}", f"s{number // 3}", **({"title": f"mend the {word}"} if turn else {}))
        for number, (word, turn) in enumerate(drawn)
    ]
    before = data.draw(strategies.lists(strategies.integers(0, len(memories) - 1), min_size=1, max_size=4))
    queries = [a_query(" ".join(WORDS) + f" {number}", "m0", before=f"m{number}") for number in before]
    for text, ids in {**ranking(read(a_set(*queries, memories=memories)))}.items():
        assert {int(name[1:]) for name in ids} == set(range(int(text.rpartition(" ")[2])))


def test_a_session_is_as_good_as_its_best_memory(read):
    said = [("a heron", "s1"), ("a lantern", "s2"), ("a lantern and a heron", "s1"), ("a shed", "s3")]
    memories = [a_memory(number, text, session) for number, (text, session) in enumerate(said)]
    found = read(a_set(a_query("lantern heron", "s1", before_session="s3"), memories=memories, unit="session"))
    assert ranking(found) == {"lantern heron": ["s1", "s2"]}
    assert ranking(found, "newest") == {"lantern heron": ["s1", "s2"]}


def test_a_tool_row_stands_for_its_turn(read):
    turn = a_memory(0, "It floats.", title="mend the boat", files=["boat.py"], lines=["-plank", "+varnish", "make zeppelin"])
    queries = [a_query(word, "m0") for word in ("plank varnish", "zeppelin", "boat zeppelin plank")]
    found = ranking(read(a_set(*queries, memories=[turn, a_memory(1, "x", "s2", title="other")])))
    assert list(found.values()) == [["m0"], ["m0"], ["m0"]]


def test_hidden_texts_find_nothing_and_files_and_lines_still_do(read):
    turn = a_memory(0, "It floats.", title="mend the boat", files=["pier/lantern.py"], lines=["make varnish"])
    queries = [a_query(word, "m0") for word in ("floats", "mend", "lantern", "varnish")]
    found = histories.hidden(read(a_set(*queries, memories=[turn, a_memory(1, "it floats, mend it")])))
    assert ranking(found) == {"floats": [], "mend": [], "lantern": ["m0"], "varnish": ["m0"]}
    assert ranking(found, "fts5") == ranking(found)


@pytest.mark.parametrize("text", ["", "?!", "\u200b", "the of and"])
def test_a_query_without_a_word_finds_nothing_and_counts(read, text):
    report = retrieval.run(read(a_set(a_query(text, "m1"), a_query("heron", "m1"))))
    assert (report["queries"], report["recall@10"]) == (2, 0.5)


def test_the_report_has_the_figures_of_every_mode_and_baseline_under_the_same_keys(read):
    report = retrieval.run(read(a_set(a_query("heron", "m1"), a_query("lantern", "m0", "m3"))))
    every = [report["modes"]["lexical"], report["baselines"]["fts5"], report["baselines"]["newest"], report["against"]["fts5"]]
    assert all(set(measures.NAMES) == figures.keys() for figures in every[:-1])
    assert report["modes"]["lexical"].items() <= report.items()
    assert report["against"].keys() == {"fts5", "newest"}
    assert all(each.keys() == {"recall@10", "ndcg@10"} for each in report["against"].values())
    assert every[-1]["recall@10"].keys() == COMPARED
    assert (report["name"], report["unit"], report["mode"], report["queries"]) == ("a set", "observation", "lexical", 2)


def test_the_figures_are_those_of_the_answers(read):
    report = retrieval.run(read(a_set(a_query("heron", "m1"), a_query("painted lantern", "m0"), a_query("nothing", "m2"))))
    newest = report["baselines"]["newest"]
    assert report["modes"]["lexical"]["recall@3"] == pytest.approx(2 / 3)
    assert newest["recall@3"] == pytest.approx(2 / 3)  # the third, the last and the second
    assert newest["mrr"] == pytest.approx((1 / 3 + 1 / 4 + 1 / 2) / 3)


def test_adversarial_queries_are_counted_apart(read):
    report = retrieval.run(read(a_set(a_query("heron", "m1"), a_query("nothing", "m2", category="adversarial"))))
    assert (report["queries"], report["recall@10"]) == (1, 1.0)
    apart = report["adversarial"]
    assert (apart["queries"], apart["modes"]["lexical"]["recall@10"]) == (1, 0.0)
    assert report["categories"] == {}


def test_each_category_has_its_own_figures(read):
    queries = [a_query("heron", "m1", category="birds"), a_query("nothing", "m2", category="sheds"), a_query("lantern", "m0", "m3")]
    report = retrieval.run(read(a_set(*queries)))
    assert {name: (part["queries"], part["modes"]["lexical"]["mrr"]) for name, part in report["categories"].items()} == {
        "birds": (1, 1.0),
        "sheds": (1, 0.0),
    }


def test_a_set_of_adversarial_queries_alone_has_no_totals(read):
    report = retrieval.run(read(a_set(a_query("heron", "m1", category="adversarial"))))
    assert report["queries"] == 0 and report["modes"] == {} and report["adversarial"]["queries"] == 1


def test_every_history_is_a_memory_of_its_own(read):
    two = a_set(a_query("heron", "m1"))
    two["projects"].append({**two["projects"][0], "id": "other", "memories": [a_memory(1, "a pier")]})
    report = retrieval.run(read(two))
    assert report["recall@10"] == 0.5


def test_the_same_set_makes_the_same_report(read):
    found = read(a_set(a_query("heron lantern", "m1"), a_query("lantern", "m0", before="m2")))
    assert retrieval.run(found) == retrieval.run(found)


def test_progress_is_announced_for_every_query(read):
    heard = []
    retrieval.run(read(a_set(a_query("heron", "m1"), a_query("lantern", "m0"))), announce=lambda *told: heard.append(told))
    assert heard == [("pier", 1, 2), ("pier", 2, 2)]


# What a query names of a memory that was not found

NOTE = a_memory(0, "The pump of the zeppelin is loud", role="Ada")
TURN = a_memory(1, "Done.", title="mend it", files=["src/bilge_pump.py"])


def missed(read, text, *relevant, ranking=(), unit="observation"):
    history = read(a_set(a_query("x", "m0"), memories=[NOTE, TURN])).projects[0]
    return retrieval.named_of_missed(text, relevant, ranking, history, unit)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what did Ada say?", {"speaker"}),
        ("is the pump broken?", {"word"}),
        ("why is the zeppelin so noisy?", {"word"}),
        ("what is loud?", {"word"}),
        ("weather", set()),
    ],
)
def test_a_note_is_named_by_who_said_it_and_its_words(read, text, named):
    assert missed(read, text, "m0") == [named]


@pytest.mark.parametrize("text", ["open src/bilge_pump.py", "bilge_pump.py?", "what about bilge_pump, then"])
def test_a_turn_is_named_by_its_file(read, text):
    assert "file" in missed(read, text, "m1")[0]


@pytest.mark.parametrize(("text", "is_phrase"), [("a floating zeppelin pump", True), ("a pump, a zeppelin", False)])
def test_two_words_in_a_row_are_a_phrase(read, text, is_phrase):
    history = read(a_set(a_query("x", "m0"), memories=[a_memory(0, "Our zeppelin pump is loud")])).projects[0]
    (named,) = retrieval.named_of_missed(text, ["m0"], [], history, "observation")
    assert ("phrase" in named) == is_phrase


def test_what_was_found_is_not_missed(read):
    assert missed(read, "pump", "m0", ranking=["m0"]) == []


def test_of_a_session_whatever_one_of_its_memories_says_counts(read):
    assert missed(read, "Ada: mend it", "s1", unit="session") == [{"speaker", "word"}]


def test_the_shares_are_those_of_all_that_is_missed():
    found = retrieval.report_of_missed([frozenset({"word"}), frozenset()])
    assert (found["missed"], found["word"]["value"], found["nothing"]["value"], found["file"]["value"]) == (2, 0.5, 0.5, 0.0)
