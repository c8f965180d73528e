"""Quick hooks: the same door in a fork of a launcher that has the modules loaded, some ten times quicker than a new interpreter."""

import os

from tests.hook import HANGS_S, NAMES, Hook, answer_of


class QuickHook(Hook):
    """A session whose hooks are forks. `limits` and `kill_after` are as in `Launcher.run`, for the next event and all after it."""

    def __init__(self, folder, plugin, launcher):
        super().__init__(folder, plugin)
        self.launcher, self.limits, self.kill_after = launcher, {}, None

    def run(self, name, data=b""):
        where = {"env": self.environment, "cwd": str(self.cwd or self.project), "limits": self.limits}
        return self.launcher.run(data, HANGS_S, door=NAMES.get(name, name), kill_after=self.kill_after, **where)

    def send(self, name, data):
        """Fire an event; what it leaves behind is looked for once for many, by `nothing_left`."""
        ran = self.run(name, data)
        assert ran.code == 0, ran
        assert ran.err == b"", ran
        return answer_of(name, ran.out)

    def nothing_left(self):
        """Say whether no hook has left a process, or a file where it may not write."""
        ours = {self.memory.name, ".config", ".local"}
        strange = [name for place in (self.project, self.home) for name in os.listdir(place) if name not in ours]
        return self.left_behind() == [] and strange == []
