"""Core dumps: what holds a prompt or a key while it runs leaves no picture of its memory when it crashes."""

import resource

from tests.hook import COMMANDS, Hook, launcher

SAYS_ITS_LIMITS = '#!/bin/sh\n{ ulimit -S -c; ulimit -H -c; } >"$HOME/limits"\n'


def test_a_hook_has_no_core_and_what_it_starts_may_ask_for_one_again(tmp_path):
    hook = Hook(tmp_path)
    hook.data.mkdir(parents=True)
    stand_in = tmp_path / "python"
    stand_in.write_text(SAYS_ITS_LIMITS)
    stand_in.chmod(0o755)
    (hook.data / "python").write_text(f"{stand_in}\n")
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    where = {"env": hook.surroundings(), "cwd": str(hook.project), "limits": {"RLIMIT_CORE": most}}
    ran = launcher().run(b"{}", argv=COMMANDS["UserPromptSubmit"], **where)
    soft, hard = (hook.home / "limits").read_text().split()
    assert (ran.code, soft) == (0, "0")
    assert hard == ("unlimited" if most == resource.RLIM_INFINITY else hard)
