"""From nothing to the first memory that is told, by README's own lines and few keys."""

import re
import shlex

from .client import REPOSITORY, copy_of, eventually
from .messages_api import say

ASKED = "Why does the halyard slip?"
MOST_KEYS = 60


def lines_of_the_installation(published):
    """Return what README says to paste into a shell, with the place of the repository where it leaves one open."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8").split("## Install")[1]
    (block, *_) = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)
    return [shlex.split(re.sub(r"<.*?>", shlex.quote(str(published)), line)) for line in block.splitlines()]


def test_two_pasted_lines_and_sixty_keys_lead_to_the_first_memory_that_is_told(client, terminal, api, tmp_path):
    api.play({"turns": [say("The cleat was mounted upside down."), say("Turn the cleat.")]})
    pasted = lines_of_the_installation(copy_of(REPOSITORY, tmp_path / "published"))
    assert [client.command(*words[1:]).returncode for words in pasted if words[0] == "claude"] == [0, 0]
    typed = [ASKED, "/clear"]
    with terminal() as person:
        person.say(typed[0])
        person.wait_for("The cleat was mounted upside down.")
        person.say(typed[1])
        person.wait_for("1 memory here; told 1")
        person.say("And now?")
        eventually(lambda: len(api.requests("main")) == 2, otherwise=person.screen)
        person.leave()
    assert ASKED in api.text_of(api.requests("main")[-1])
    assert len(pasted) == 2 and sum(len(line) + len(["Enter"]) for line in typed) <= MOST_KEYS
