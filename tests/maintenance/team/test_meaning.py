"""What a team's server finds by meaning, where it has pgvector and embeddings are set up: under the policies of who asks."""

import array

import psycopg
import pytest

from ralph_mem.maintenance.team import exchange, finding, meaning, setting_up
from tests.maintenance.team import postgres
from tests.maintenance.team.servers import TEAM
from tests.maintenance.team.situations import BONN, CELLE, DIRK, an_item
from tests.maintenance.team.test_exchange import asks, own
from tests.maintenance.team.test_policies import tried
from tests.maintenance.team.test_wire import recorded

TOPICS = (("lantern", "lamp", "light"), ("cellar", "basement"), ("deploy", "ship", "release"))


class AModel:
    """Stands for a model: a text means how many words of each topic it has."""

    name, dims = "topics@1", len(TOPICS)

    def of_query(self, text):
        return array.array("f", [0.1 + sum(text.lower().count(word) for word in topic) for topic in TOPICS])

    def of_texts(self, texts):
        return [self.of_query(text) for text in texts]


@pytest.fixture
def a_vector_server(a_server):
    """Let the server have pgvector, as the package pgserver brings it."""
    if a_server.asks(postgres.ADMIN, "SELECT to_regclass('ralph_mem.item_vector') IS NULL") == [(True,)]:
        pytest.skip("this PostgreSQL has no pgvector")
    return a_server


@pytest.fixture
def a_model(monkeypatch):
    monkeypatch.setattr(meaning, "embedder", AModel)
    return AModel()


@pytest.fixture
def pushed(a_vector_server, a_model, a_member):
    """Let a member have shared what means something, and a reviewer have accepted it."""
    items = [own(a_member, text) for text in ("The lantern hangs low.", "The cellar is dry.", "Releases go out on Mondays.")]
    a_member.pushes()
    a_member.server.accepts()
    return items


def test_what_means_the_same_is_found_without_a_word_in_common(pushed, a_member):
    lantern, cellar, _ = pushed
    assert asks(a_member, "basement").items[0] == cellar
    assert asks(a_member, "lamp").items[0] == lantern


def test_words_and_meaning_count_together(pushed, a_member):
    assert asks(a_member, "mondays ship").items[0] == pushed[2]
    assert meaning.fused([[("a", ""), ("b", "")], [("b", ""), ("c", "")]], 2) == [("b", ""), ("a", "")]


def test_what_is_proposed_or_was_edited_since_is_not_found_by_its_meaning(pushed, a_member):
    lantern = pushed[0]
    a_member.server.asks("wanda", "UPDATE ralph_mem.item SET body = body || 'x', state = 'proposed' WHERE id = %s", lantern.id)
    assert lantern.id not in [each.id for each in asks(a_member, "lamp").items]
    a_member.server.accepts()
    assert lantern.id not in [each.id for each in asks(a_member, "light").items]


def test_where_no_model_is_set_up_words_alone_count_and_no_vector_leaves(a_vector_server, a_member):
    own(a_member, "The cellar is dry.")
    a_member.pushes()
    a_member.server.accepts()
    assert a_member.server.asks("vera", "SELECT count(*) FROM ralph_mem.item_vector") == [(0,)]
    assert [each.body for each in asks(a_member, "cellar").items] == ["The cellar is dry."]
    assert asks(a_member, "basement").items == []


def test_a_server_without_the_extension_finds_by_words(a_vector_server, a_model, a_member):
    a_vector_server.asks(postgres.ADMIN, "DROP TABLE ralph_mem.item_vector")
    own(a_member, "The cellar is dry.")
    assert len(a_member.pushes().sent) == 1
    a_vector_server.accepts()
    assert [each.body for each in asks(a_member, "cellar").items] == ["The cellar is dry."]


WRITE = "INSERT INTO ralph_mem.item_vector (team, id, model, rev, embedding) VALUES ('shop', '{}', 'm', {}, '[1,2,3]')"


def test_only_who_wrote_a_text_says_what_it_means(a_vector_server):
    a_vector_server.holds("walt", an_item())
    sql = WRITE.format(BONN, 1).replace("'[1,2,3]'", "'[1,2,3]'::ralph_mem.vector")
    logins = ("rita", "walt", "wanda", "vera", "sven")
    assert [login for login in logins if tried(a_vector_server, login, sql)] == ["walt"]
    assert not tried(a_vector_server, "walt", sql.replace(", 1, ", ", 2, "))


def test_a_vector_is_seen_by_members_alone_and_goes_with_its_item(a_vector_server, pushed, a_member):
    seen = "SELECT id FROM ralph_mem.item_vector"
    assert [login for login in ("rita", "wanda", "sven") if tried(a_vector_server, login, seen)] == ["rita", "wanda"]
    a_vector_server.asks("vera", "DELETE FROM ralph_mem.item WHERE id = %s", pushed[0].id)
    assert pushed[0].id not in [name for (name,) in a_vector_server.asks("vera", seen)]


def test_setting_up_again_makes_an_index_for_each_model_which_searches_use(a_vector_server, pushed, a_member):
    setting_up.make(a_vector_server.address(postgres.ADMIN), TEAM, {})
    ((definition,),) = a_vector_server.asks(
        postgres.ADMIN, "SELECT indexdef FROM pg_indexes WHERE tablename = 'item_vector' AND indexname LIKE 'nearest%%'"
    )
    assert "hnsw" in definition and "topics@1" in definition
    with psycopg.connect(a_vector_server.address("rita")) as connection:
        connection.execute("SET enable_seqscan = off; SET enable_sort = off")
        sql = "EXPLAIN " + meaning.NEAREST.format(place="ralph_mem", dims=3)
        plan = connection.execute(sql, ("[1,2,3]", AModel.name, TEAM, 40, TEAM, 10)).fetchall()
    assert any("nearest_" in line for (line,) in plan)


def test_what_a_vector_of_another_length_breaks_is_the_meaning_alone(pushed, a_member):
    sql = WRITE.format(CELLE, 1).replace("'[1,2,3]'", "'[1,2]'::ralph_mem.vector").replace("'m'", f"'{AModel.name}'")
    a_member.server.holds("wanda", an_item(CELLE, "The tower is high."), an_item(DIRK, "Nobody goes there."))
    a_member.server.asks("wanda", sql)
    a_member.server.accepts()
    assert "The cellar is dry." in [each.body for each in asks(a_member, "cellar").items]


def test_the_query_that_becomes_a_vector_is_redacted_too(pushed, a_member, monkeypatch):
    heard = []
    monkeypatch.setattr(AModel, "of_query", lambda self, text: heard.append(text) or array.array("f", [1, 0, 0]))
    with recorded(a_member):
        finding.search(
            a_member.project, a_member.session.settings, TEAM, "lamp ghp_" + "a1B2c3D4" * 4 + "e5F6", 5, exchange.now_ms()
        )
    assert heard and "ghp_a1B2" not in heard[0]
