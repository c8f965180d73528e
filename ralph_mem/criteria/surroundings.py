"""Surroundings: the environment that a criterion is run with: the person's own, without what belongs to a session of the client."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The client's own variables hold its keys and let a program speak to a session or believe that it is one. Other keys stay: the
# person's tests had them before the loop, and without them they would fail for a reason that nobody wrote.
OF_THE_CLIENT = ("ANTHROPIC_", "CLAUDE")
OF_OURS = ("RALPH_MEM_LOOP",)
# What a test starts is no session to remember.
ADDED = {"RALPH_MEM_RECORDING": "off"}


def of(environment: "Mapping[str, str] | None" = None) -> "dict[str, str]":
    """Return what a criterion gets of an environment, by default of our own.

    `CI` is not set: with it, tools change what they do, and the person's runs would tell something else.
    """
    given = os.environ if environment is None else environment
    return {**{name: value for name, value in given.items() if not name.startswith(OF_THE_CLIENT + OF_OURS)}, **ADDED}
