"""A model whose words a test chooses, in the place of the library that would ask one."""

import json
import sys
import types

import pytest

from ralph_mem.core.settings import effective
from ralph_mem.maintenance.proposals import proposing

MODEL = "litellm:some/model"
CENTS = 2.0


class Library(types.ModuleType):
    """What is asked of `litellm`: it answers with its `answers` in their order, each for CENTS, and keeps what it was asked."""

    cents = CENTS  # that an answer says it costs

    def __init__(self):
        super().__init__("litellm")
        self.answers, self.asked, self.while_asked = [], [], lambda: None

    def completion(self, **asked):
        self.asked.append(asked)
        self.while_asked()
        answer = self.answers.pop(0) if self.answers else '{"facts": []}'
        if isinstance(answer, Exception):
            raise answer
        message = types.SimpleNamespace(content=answer if isinstance(answer, str) or answer is None else json.dumps(answer))
        return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])

    def completion_cost(self, completion_response):
        return self.cents / 100

    def cost_per_token(self, model, prompt_tokens, completion_tokens):
        return CENTS / 200, CENTS / 200

    def sent(self):
        """Return all that was sent, as one text."""
        return "\n".join(message["content"] for each in self.asked for message in each["messages"])

    def sentences(self):
        """Return the sentences that were sent."""
        prompts = [turn for each in self.asked for turn in json.loads(each["messages"][1]["content"])["prompts"]]
        return [sentence for turn in prompts for sentence in turn["sentences"]]


@pytest.fixture
def library(monkeypatch):
    """Put a library in the place of `litellm`, which proposes nothing until it is told to."""
    found = Library()
    monkeypatch.setitem(sys.modules, "litellm", found)
    return found


@pytest.fixture
def propose(a_session, library, a_home):
    """Let a model propose; returns what the round came to."""

    def proposed(budget=100, **settings):
        given = {**effective.DEFAULTS, proposing.BUDGET: budget, **settings}
        return proposing.propose(a_session.store, a_session.project, given, MODEL)

    return proposed


def item(sentence, turn=1, kind="rule", **more):
    """Return an item of an answer."""
    return {"turn": turn, "sentence": sentence, "kind": kind, **more}


def facts_of(*items):
    """Return an answer with some items."""
    return {"facts": list(items)}
