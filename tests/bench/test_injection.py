import pytest

from ralph_mem.bench import asking, histories, injection
from ralph_mem.core.settings import effective
from tests.bench.conftest import a_memory, a_query, a_set

BUDGET = effective.DEFAULTS["memory.inject_tokens_prompt"]
LEAKING = "The bilge pump of the zeppelin tender failed again"
MENDED = [
    a_memory(0, "The impeller had seized; replaced it.", title=LEAKING, files=["pumps/bilge.py"]),
    *[a_memory(number, f"Step {number} was done. " * 40, "s2", title=f"chore {number}") for number in range(1, 12)],
]
ABOUT_IT = a_query("is the bilge pump of the zeppelin seized?", "m0")


@pytest.fixture
def report(read):
    """Measure a history in which a pump was mended long ago."""
    return injection.run(read(a_set(ABOUT_IT, memories=MENDED)))


def told(read, *queries, unit="observation", memories=MENDED):
    """Return what was told at each query, by arm."""
    given = read(a_set(*queries, memories=memories, unit=unit))
    history = given.projects[0]
    prompts = [prompt for prompt in asking.plan(given.unit, history) if not prompt.sort]
    return [each.told for each in injection.answers(history, prompts)]


def test_the_hook_tells_what_is_meant_and_little_else(report):
    hook, everything = report["arms"]["hook"], report["arms"]["inject-all"]
    assert [hook[name]["value"] for name in ("answered", "relevant_items", "items")] == [1.0, 1.0, 1.0]
    assert everything["answered"]["value"] == 0.0
    assert 0 < hook["tokens"]["value"] < everything["tokens"]["value"] <= BUDGET and report["counted_by"] == "estimate"


def test_whoever_tells_nothing_answers_nothing_and_leaves_all_alone(report):
    nothing = report["arms"]["none"]
    assert (nothing["answered"]["value"], nothing["relevant_items"], nothing["left_alone"]["value"]) == (0.0, None, 1.0)


def test_a_figure_lies_in_its_interval(report):
    figures = [figure for arm in report["arms"].values() for figure in arm.values() if figure]
    assert all(0 <= figure["low"] <= figure["value"] <= figure["high"] for figure in figures)


def test_the_hook_s_figures_stand_at_the_top_as_well(report):
    assert {name: figure["value"] for name, figure in report["arms"]["hook"].items()}.items() <= report.items()
    assert report["queries"] == 1 and report["unanswerable"] == len(asking.everyday_prompts())


def test_tokens_are_saved_against_those_who_do_not_ask(report):
    arms, others = report["arms"], report["unanswerable"]
    spent = {name: arm["tokens"]["value"] + others * arm["tokens_unanswerable"]["value"] for name, arm in arms.items()}
    assert report["fewer_tokens"] == pytest.approx(
        {name: 1 - spent["hook"] / spent[name] for name in ("inject-all", "newest-five")}
    )


def test_a_goal_is_met_or_not(report):
    goals = report["goals"]
    assert {name: goal["met"] for name, goal in goals.items()} == dict.fromkeys(injection.GOALS, True)
    assert goals["more_answered"] == {"wanted": 0.0, "reached": 1.0, "met": True}
    assert goals["fewer_tokens"]["reached"] == report["fewer_tokens"]["inject-all"]


def test_a_goal_without_a_figure_is_not_met(read):
    lost = injection.run(read(a_set(a_query("how far is the moon?", "m0"), memories=MENDED)))
    assert lost["goals"]["relevant_items"] == {"wanted": 0.45, "reached": None, "met": False}


def test_a_prompt_that_nothing_answers_is_left_alone_where_nothing_is_like_it(read):
    given = read(a_set(ABOUT_IT, memories=MENDED))
    sorts = injection.run(given, given=["how far is the moon?", LEAKING])["sorts"]
    assert (sorts["given"]["prompts"], sorts["given"]["left_alone"]["value"], sorts["given"]["examples"]) == (2, 0.5, [LEAKING])
    assert sorts["everyday"]["left_alone"]["value"] > 0.9


def test_queries_of_another_history_have_no_answer_here(read):
    two = a_set(ABOUT_IT, memories=MENDED)
    adversarial = a_query("who flew the zeppelin?", "m0", category="adversarial")
    pier = {"id": "pier", "memories": [a_memory(0, "the lantern is broken")], "queries": [a_query("lantern", "m0"), adversarial]}
    two["projects"].append(pier)
    report = injection.run(read(two))
    assert report["queries"] == 2
    assert report["sorts"]["other projects"]["prompts"] == 2


def test_only_what_came_before_is_told(read):
    early = {**ABOUT_IT, "before": "m0"}
    assert told(read, early, ABOUT_IT) == [
        {"hook": [], "inject-all": [], "newest-five": [], "none": []},
        {"hook": ["m0"], **{arm: told(read, ABOUT_IT)[0][arm] for arm in ("inject-all", "newest-five", "none")}},
    ]


def test_the_other_arms_tell_the_newest_within_the_budget(read):
    arms = told(read, ABOUT_IT)[0]
    assert arms["newest-five"] == ["m11", "m10", "m9", "m8", "m7"]
    assert arms["inject-all"] == [f"m{number}" for number in range(11, 11 - len(arms["inject-all"]), -1)]
    assert 0 < len(arms["inject-all"]) < 5


def test_every_memory_of_a_relevant_session_is_relevant(read):
    query = {**ABOUT_IT, "relevant": ["s1"]}
    report = injection.run(read(a_set(query, memories=MENDED, unit="session")))
    assert (report["answered"], report["relevant_items"]) == (1.0, 1.0)


@pytest.mark.parametrize("text", ["", "?!", "/ralph-mem:mem-search zeppelin bilge pump", "<task-notification> bilge pump zeppelin"])
def test_what_the_hook_does_not_look_up_is_told_nothing(read, text):
    assert told(read, {**ABOUT_IT, "text": text})[0]["hook"] == []


@pytest.mark.check
def test_the_same_set_makes_the_same_report(read):
    given = read(a_set(ABOUT_IT, memories=MENDED))
    assert injection.run(given) == injection.run(given)


def test_progress_ends_at_the_last_prompt(read):
    heard = []
    injection.run(read(a_set(ABOUT_IT, memories=MENDED)), given=["one more"], announce=lambda *told: heard.append(told))
    assert heard[-1] == ("pier", len(heard), len(heard)) and len(heard) == len(asking.everyday_prompts()) + 2


def test_everyday_prompts_are_many_in_many_voices_and_each_is_there_once():
    prompts = [text for _, text in asking.everyday_prompts()]
    assert len(prompts) == len(set(prompts)) >= 300
    assert all(text.strip() == text and text for text in prompts)
    assert len({voice for voice, _ in asking.everyday_prompts()}) >= 10


def test_queries_of_another_file_are_its_prompts_but_for_the_adversarial_ones(read):
    adversarial = a_query("who?", "m0", category="adversarial")
    assert histories.queries(read(a_set(a_query("lantern", "m0"), adversarial))) == ["lantern"]


def test_no_arm_tells_a_session_what_happened_in_it(read):
    own = [a_memory(12, "Looked at it.", "s3", title="look at the bilge pump"), a_memory(13, "", "s3", title=ABOUT_IT["text"])]
    query = {**ABOUT_IT, "relevant": ["s1"], "before_session": "s3"}
    (arms,) = told(read, query, unit="session", memories=[*MENDED, *own])
    assert arms["hook"] == ["m0"]
    assert "m12" not in arms["newest-five"] + arms["inject-all"]


# At a start

QUERY = a_query("pump", "m0")


def turn(number, session, *files):
    return a_memory(number, "Done.", session, title=f"chore {number}", files=list(files))


def measured(read, *memories):
    return injection.at_starts(read(a_set(QUERY, memories=list(memories))))


def starts(read, *memories):
    return injection.starts(read(a_set(QUERY, memories=list(memories))).projects[0])


def test_a_session_counts_that_edits_a_file_again(read):
    found = starts(read, turn(0, "s1", "pump.py"), turn(1, "s2", "mast.py"), turn(2, "s3", "mast.py", "oar.py"))
    assert found == [(2, {"m1"})]


def test_the_turn_that_matters_is_the_last_one_that_edited_the_file(read):
    found = starts(read, turn(0, "s1", "pump.py"), turn(1, "s1", "pump.py"), turn(2, "s2", "mast.py"), turn(3, "s2", "pump.py"))
    assert found == [(2, {"m1"})]


def test_a_file_that_everybody_edits_says_nothing(read):
    assert starts(read, *[turn(number, f"s{number}", "changelog.md") for number in range(3)]) == []


def test_what_happened_just_before_is_named_by_both(read):
    found = measured(read, turn(0, "s1", "pump.py"), turn(1, "s2", "pump.py"))
    assert (found["sessions"], found["briefing"]["value"], found["newest-ten"]["value"]) == (1, 1.0, 1.0)


def test_what_is_long_ago_is_not_among_the_newest_ten(read):
    chores = [turn(number, "s1") for number in range(1, 30)]
    found = measured(read, turn(0, "s0", "pump.py"), *chores, turn(30, "s2", "pump.py"))
    assert found["newest-ten"]["value"] == 0.0


def test_notes_edit_nothing(read):
    assert measured(read, a_memory(0, "a heron"), a_memory(1, "a heron", "s2"))["sessions"] == 0
