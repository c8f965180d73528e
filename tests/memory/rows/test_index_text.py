"""The text of a row as the indexes see it, looked up through the real index."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.memory.rows import index_text, query_text
from ralph_mem.memory.store import connection, schema

SIGNS = st.characters(exclude_categories=["Cs"])
TEXTS = (
    st.text(SIGNS)
    | st.text(alphabet="aBcDE HTTPserver2_-/.日本語テキスト한국[REDACTED:]é\u0301\0")
    | st.lists(
        st.sampled_from(
            ["camelCase", "HTTPServer", "snake_case", "[REDACTED:api-key]", "[REDACTED", "日本語", "été", "𠮷野家", "²", "Ⅷ"]
        )
    ).map(" ".join)
)


@pytest.fixture(scope="module")
def an_index():
    """Make an index like `memory_fts`, with one column."""
    db = connection.sqlite.connect(":memory:", isolation_level=None)
    (statement,) = [text for text in schema.INDEXES if "memory_fts USING" in text]
    db.execute(statement.replace("title, body, context, files, lines", "body"))
    db.execute("CREATE VIRTUAL TABLE words USING fts5vocab(memory_fts, 'row')")
    yield db
    db.close()


def holds(db, text, query):
    """Say whether the words of a query are all found in a text."""
    db.execute("INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')")
    db.execute("INSERT INTO memory_fts (rowid, body) VALUES (1, ?)", (index_text.of(text),))
    words = query_text.words(query)
    return bool(words) and all(
        db.execute("SELECT 1 FROM memory_fts WHERE memory_fts MATCH ?", (query_text.quoted(word),)).fetchall() for word in words
    )


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the parseConfigFile function", "parseConfigFile"),
        ("the parseConfigFile function", "config file"),
        ("the parseConfigFile function", "PARSE"),
        ("an HTTPServer", "http server"),
        ("an HTTPServer2 here", "server2"),
        ("new XMLHttpRequest()", "http request"),
        ("snake_case_name", "case"),
        ("src/lamp/fuseBox.py", "fuse box"),
        ("fuse box", "box"),
        ("lamps are running", "lamp run"),
        ("l'été", "ete"),
        ("Straße", "straße"),
        ("Übelhör", "U\u0308belho\u0308r"),
        ("U\u0308belho\u0308r", "Übelhör"),
        ("日本語のテキストを読む", "テキスト"),
        ("日本語のテキストを読む", "日本"),
        ("電球が切れた", "電球"),
        ("한국어를 배운다", "국어"),
        ("𠮷野家へ行く", "𠮷野"),
        ("mixed日本語text", "日本語"),
        ("Ошибка в лампе", "ошибка"),
    ],
)
def test_a_word_is_found(an_index, text, query):
    assert holds(an_index, text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the parseConfigFile function", "figfile"),
        ("日本語のテキスト", "本日"),
        ("電球", "電話"),
        ("key [REDACTED:api-key] here", "REDACTED"),
        ("key [REDACTED:api-key] here", "api"),
        ("lamp", ""),
        ("lamp", "!?"),
    ],
)
def test_what_does_not_stand_there_is_not_found(an_index, text, query):
    assert not holds(an_index, text, query)


@pytest.mark.parametrize(
    ("text", "indexed"),
    [
        ("plain words stay", "plain words stay"),
        ("Begin and END of it", "Begin END"),
        ("[REDACTED:api-key]", ""),
        ("a [REDACTED:jwt] b [REDACTED:jwt]", "b"),
        ("", ""),
    ],
)
def test_what_says_something_is_indexed_as_it_stands(text, indexed):
    assert index_text.of(text) == indexed


def test_a_mark_that_was_cut_hides_only_itself(an_index):
    assert holds(an_index, "deploy [REDACTED:api-k and then the lamp", "lamp")


def test_words_come_once_in_lower_case_and_in_order():
    assert query_text.words("The Lamp the LAMP fuseBox fuse") == ["the", "lamp", "fusebox", "fuse", "box"]


@given(TEXTS)
def test_the_same_text_is_always_indexed_the_same(text):
    assert index_text.of(text) == index_text.of(text[:1] + text[1:])
    assert len(query_text.words(text)) == len(set(query_text.words(text)))


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_what_was_indexed_is_deleted_without_a_trace(an_index, texts):
    an_index.execute("INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')")
    for number, text in enumerate(texts):
        an_index.execute("INSERT INTO memory_fts (rowid, body) VALUES (?, ?)", (number, index_text.of(text)))
    for number, text in enumerate(texts):
        an_index.execute("INSERT INTO memory_fts (memory_fts) VALUES ('integrity-check')")
        an_index.execute("INSERT INTO memory_fts (memory_fts, rowid, body) VALUES ('delete', ?, ?)", (number, index_text.of(text)))
    an_index.execute("INSERT INTO memory_fts (memory_fts) VALUES ('integrity-check')")
    assert an_index.execute("SELECT * FROM words").fetchall() == []


@given(TEXTS)
def test_every_word_of_a_text_can_be_asked_for(an_index, text):
    for word in query_text.words(text):
        an_index.execute("SELECT 1 FROM memory_fts WHERE memory_fts MATCH ?", (query_text.quoted(word),)).fetchall()


@given(st.text(alphabet="abcXYZ日本語", min_size=1, max_size=12))
def test_a_text_is_found_by_its_own_words(an_index, text):
    assert holds(an_index, f"before {text} after", text) == bool(set(query_text.words(text)) - index_text.STOPWORDS)


def test_the_words_of_a_query_are_the_same_when_asked_for_again_whatever_was_done_with_the_first_answer():
    first = query_text.words("parseUrl decodes")
    first.append("more")
    assert query_text.words("parseUrl decodes") == ["parseurl", "decodes", "parse", "url"]
    assert query_text.words("another") == ["another"]
    assert query_text.words("parseUrl decodes") == ["parseurl", "decodes", "parse", "url"]
