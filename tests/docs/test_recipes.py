"""The recipes for a system's scheduler: whole files in their own formats, of a command that there is."""

import plistlib
import re
import shlex
from configparser import ConfigParser

import pytest

from tests.docs import ROOT, reference

TEXT = (ROOT / "docs" / "memory.md").read_text()


def block(language):
    """Return the one example in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    return found


def units():
    """Return the files of systemd by their names."""
    parts = re.split(r"^# (\S+)\n", block("ini"), flags=re.MULTILINE)[1:]
    found = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        found[name] = ConfigParser(interpolation=None)
        found[name].read_string(text)
    return found


def orders():
    """Return the command of each recipe, in words."""
    minute, hour, day, month, weekday, order = block("crontab").strip().split(" ", 5)
    assert (minute.isdigit(), hour.isdigit(), day, month, weekday) == (True, True, "*", "*", "*")
    agent = plistlib.loads(block("xml").encode())
    return {
        "cron": shlex.split(order), "systemd": shlex.split(units()["ralph-mem.service"]["Service"]["ExecStart"]),
        "launchd": agent["ProgramArguments"],
    }  # fmt: skip


@pytest.mark.parametrize("system", ["cron", "systemd", "launchd"])
def test_a_recipe_runs_a_command_that_there_is_with_options_that_it_knows(system):
    program, name, option, _ = orders()[system]
    command = dict(reference.commands())[name]
    assert program.endswith("/.local/bin/ralph-mem")
    assert option in [word for each in command.params for word in getattr(each, "opts", ())]


def test_each_scheduler_is_told_when():
    assert units()["ralph-mem.timer"]["Timer"]["OnCalendar"] == "*-*-* 03:30"
    assert units()["ralph-mem.timer"]["Install"]["WantedBy"] == "timers.target"
    assert plistlib.loads(block("xml").encode())["StartCalendarInterval"] == {"Hour": 3, "Minute": 30}
