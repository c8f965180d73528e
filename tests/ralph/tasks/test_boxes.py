"""Boxes: one byte each is turned over, and nothing else in the file."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem.ralph.tasks import boxes
from ralph_mem.ralph.tasks.reading import key_of
from tests.ralph.made import a_plan, a_run

BYTES = b"\xef\xbb\xbf# \xe9\r\n- [ ] First thing\r\n```\n- [ ] Second\n```\n  * [X]  Second  \n\t1) [ ] Mine\n- [x] First thing\n"
DONE = b"\xef\xbb\xbf# \xe9\r\n- [x] First thing\r\n```\n- [ ] Second\n```\n  * [ ]  Second  \n\t1) [ ] Mine\n- [x] First thing\n"


def run_of(*titles, name="plan.md"):
    plan = [{**told, "key": key_of(told["title"])} for told in a_plan(*titles)]
    return a_run(plan=plan, options={"plan": name})


@pytest.fixture
def run():
    return run_of("First thing", "Second")


def test_the_boxes_say_what_is_done_and_every_other_byte_stays(tmp_path, run):
    path = tmp_path / "plan.md"
    path.write_bytes(BYTES)
    path.chmod(0o640)
    os.link(path, tmp_path / "other")
    assert boxes.show(run, str(tmp_path), {key_of("First thing")}) == (2, "")
    assert path.read_bytes() == DONE and (tmp_path / "other").read_bytes() == DONE
    assert (path.stat().st_mode & 0o777, path.stat().st_nlink) == (0o640, 2)


def test_a_box_that_has_moved_meanwhile_is_left_alone(tmp_path, run):
    path = tmp_path / "plan.md"
    path.write_bytes(BYTES)
    (first, *_) = boxes._boxes(BYTES, run)
    path.write_bytes(b"a line of mine\n" + BYTES)
    with path.open("r+b") as file:
        boxes._write(file.fileno(), first)
    assert path.read_bytes() == b"a line of mine\n" + BYTES


@pytest.mark.parametrize("name", ["gone.md", "folder", "outside.md"])
def test_where_there_is_no_plan_any_more_that_is_said(tmp_path, name):
    top = tmp_path / "top"
    (top / "folder").mkdir(parents=True)
    (tmp_path / "plan.md").write_bytes(BYTES)
    (top / "outside.md").symlink_to("../plan.md")
    run = run_of("First thing", name=name)
    assert f"the boxes of {name} are not ticked" in boxes.show(run, str(top), {key_of("First thing")})[1]
    assert boxes.ticked_by_others(run, str(top)) == [] and (tmp_path / "plan.md").read_bytes() == BYTES


def test_what_somebody_else_ticked_is_named(tmp_path, run):
    (tmp_path / "plan.md").write_bytes(BYTES)
    run.task_log = [{"done": [key_of("First thing")]}]
    (line,) = boxes.ticked_by_others(run, str(tmp_path))
    assert line.endswith("counts for nothing: task 2")


@given(
    data=st.binary(max_size=300)
    | st.lists(st.sampled_from([b"- [ ] First thing", b"- [x] Second\r", b"```", b"\xff", b"~~~"])).map(b"\n".join)
)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_file_holds_only_boxes_change(tmp_path, run, data):
    (tmp_path / "plan.md").write_bytes(data)
    boxes.show(run, str(tmp_path), {key_of("First thing")})
    now = (tmp_path / "plan.md").read_bytes()
    assert now.replace(b"[x]", b"[ ]").replace(b"[X]", b"[ ]") == data.replace(b"[x]", b"[ ]").replace(b"[X]", b"[ ]")
