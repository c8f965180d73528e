"""The commands `page` and `growth` as they are typed."""

import json


def test_a_page_is_served_from_where_it_is_typed_and_stopped_by_a_word(a_person):
    started = a_person.start_cli("page", "--no-open", stdout=-1, stderr=-1, text=True)
    try:
        assert "page-files/open-" in started.stdout.readline()
        assert a_person.reads("page", "--stop") == "Stopped: 1.\n"
        started.communicate(timeout=60)
        assert started.returncode == 0
    finally:
        started.kill()
        started.communicate()


def test_an_agent_opens_no_page_by_which_it_could_decide_in_the_persons_name(a_person):
    assert "only a person can open the page" in a_person.fails("page", "--no-open", AI_AGENT="x")


def test_it_is_written_as_files(a_person, tmp_path):
    assert a_person.reads("page", "--to", str(tmp_path / "site")).startswith("Wrote ")
    assert "thrown" in (tmp_path / "site" / "sessions.html").read_text()


def test_to_stop_and_to_start_are_two_things(a_person):
    said = a_person.cli("page", "--stop", "--to", "x")
    assert said.code == 1
    assert "--stop ends pages" in said.err


def test_a_folder_without_a_name_is_refused(a_person):
    assert "--to names no folder" in a_person.fails("page", "--to", "")


def test_growth_draws_a_bar_for_each_day_and_tells_a_program_the_numbers(a_person):
    lines = a_person.reads("growth", "--days", "7").splitlines()
    told = json.loads(a_person.reads("growth", "--days", "7", "--json"))
    assert len(told["days"]) == 7
    assert told["rows"] == sum(each["rows"] for each in told["days"]) > 0
    assert lines[0].endswith(f"  {told['rows']:,} rows remembered in 7 days")
    assert len(lines[0].partition("  ")[0]) == 7
