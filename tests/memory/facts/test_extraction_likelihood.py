"""Which of the sentences that may hold are worth telling in a later session."""

import pytest

from ralph_mem.memory.facts import extraction
from ralph_mem.memory.rows.fact_queries import LEAST_TOLD
from tests.memory.facts import voices


def likely(said):
    return [found.strength for found in extraction.find(said)]


@pytest.mark.parametrize(
    ("holds", "passes"),
    [
        ("we never push to main", "we never got past the second page"),
        ("every pull request gets a changelog entry", "every icon needs a tooltip"),
        ("Migrations have to be reversible.", "The query param has to be called filter_by_state in all the three methods."),
        ("You edited the generated files again, run make proto.", "the table on 47 is too wide to be useful instead make 7 tables"),
        ("Our logs are in UTC everywhere.", "all nodes have that except the two new ones"),
    ],
)
def test_how_people_work_is_likelier_than_what_a_piece_of_the_work_is_about(holds, passes):
    assert min(likely(holds)) >= LEAST_TOLD > max(likely(passes), default=0)


def test_nearly_all_that_many_voices_mean_for_good_is_told_and_nearly_nothing_of_what_passes():
    held = [said for said in voices.HOLDS if max(likely(said), default=0) >= LEAST_TOLD]
    mistaken = [said for said in voices.PASSES if max(likely(said), default=0) >= LEAST_TOLD]
    assert len(held) >= 0.9 * len(voices.HOLDS)
    assert len(mistaken) <= 2


@pytest.mark.parametrize(
    ("holds", "passes"),
    [
        ("invoices are never reopened", "the invoice is still open in the second tab"),
        ("dispatchers log in through keycloak", "the dispatcher logs in and gets a 500"),
        ("we don't use doubles for prices, there is a Price type", "we don't see the prices, there is a type error"),
    ],
)
def test_what_is_so_in_a_trade_is_told_and_what_was_seen_of_a_piece_of_the_work_is_not(holds, passes):
    assert max(likely(holds), default=0) >= LEAST_TOLD > max(likely(passes), default=0)


@pytest.mark.parametrize(
    ("holds", "passes"),
    [
        ("Kundennummern sind immer neunstellig", "alle Tests sind wieder kaputt"),
        ("les traductions viennent de crowdin", "tous les tests échouent depuis hier"),
        ("no borramos pedidos, se les pone fecha de anulación", "todos los pedidos tardan demasiado"),
        ("a gente usa poetry, não pip", "por enquanto a gente usa o valor antigo"),
        ("il database di prova si chiama palestra", "per ora si chiama ancora test"),
    ],
)
def test_how_it_is_done_here_is_told_in_six_languages(holds, passes):
    assert max(likely(holds), default=0) >= LEAST_TOLD > max(likely(passes), default=0)
