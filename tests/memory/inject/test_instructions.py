"""What CLAUDE.md already says is not said again; what differs from it is, and is marked."""

import pytest

from ralph_mem.hosts.claude_code import event
from ralph_mem.memory.inject import block
from ralph_mem.memory.inject.instruction_text import Said

SAID = """# Where things are

- The tungsten is in the cellar, behind the ladder
- Run `make lint` before every commit, and never with `-k`
* **Port**: the lamps listen on 8080
Lanterns are polished every evening, the oil is poured back into the
tank behind the shed before the doors are closed.

## Never do
- Push to main
"""


def covers(text, said=SAID):
    return Said(said).covers(text)


# What says the same


@pytest.mark.parametrize(
    "text",
    [
        "The tungsten is in the cellar, behind the ladder",
        "  * the tungsten is in the cellar,\n    behind the ladder.",
        "> The tungsten is in\n> the cellar, behind\n> the ladder",
        "3. THE TUNGSTEN IS IN THE CELLAR, BEHIND THE LADDER",
        "Run make lint before every commit, and never with -k",
        "- Run `make lint` before every commit, and never with `-k`\n- **Port**: the lamps listen on 8080",
        "Run `make lint` before every commit, and never with `-k` **Port**: the lamps listen on 8080",
        "**Port**: the lamps listen on 8080\nThe tungsten is in the cellar, behind the ladder",
        "Lanterns are polished every evening, the oil is poured back into the tank behind the shed before the doors are closed.",
        "Lanterns are polished every evening, the oil is poured\nback into the tank behind the shed before the doors are closed",
    ],
)
def test_a_repeat_is_covered_however_it_is_wrapped_and_marked(text):
    assert covers(text)


@pytest.mark.parametrize(
    "text",
    [
        "The tungsten is not in the cellar, behind the ladder",
        "The ladder is in the cellar, behind the tungsten",
        "The lamps listen on 8081",
        "**Port**: the lamps listen on 8081",
        "Run make lint before every commit, and never with -K",
        "Run `make test` before every commit, and never with `-k`",
        "Run `make lint` before every commit",
        "The tungsten is in the cellar, behind the ladder. It is dear",
        "oil is poured back into the tank",
        "is in the cellar, behind the ladder",
        "Push to main",
        "",
    ],
)
def test_what_differs_in_a_word_a_number_a_flag_or_their_order_is_not(text):
    assert not covers(text)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Use npm, never pnpm", "Use pnpm, never npm"),
        ("Never\nuse npm", "Use npm"),
        ("Never:\n- use npm", "use npm"),
        ("- Don't:\n  - use npm", "use npm"),
        ("## Don'ts\n\n- use npm", "use npm"),
        ("Use npm\nonly in CI", "Use npm"),
        ("Under no circumstances\nuse npm", "Use npm"),
        ("**JSON**: use `tags`", "**JSON**: use `tag`"),
    ],
)
def test_the_contrary_of_a_line_is_never_covered_by_a_piece_of_it(said, text):
    assert not covers(text, said)


def test_a_statement_after_a_list_of_what_is_forbidden_is_one():
    assert covers("Use yarn", "Never:\n- use npm\n\nUse yarn")


def test_plain_words_are_compared_as_words_and_words_with_markup_by_each_sign():
    assert covers("json tags use snake_case.", "**JSON tags**: Use `snake_case`")
    assert not covers("**JSON tags**: Use `snake_case`.", "**JSON tags**: Use `snake_case`")


# Of an answer, sentences are left out


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Behind the ladder is a fuse. The tungsten is in the cellar, behind the ladder", "Behind the ladder is a fuse"),
        ("first line\nThe tungsten is in the cellar, behind the ladder\nlast line", "first line\nlast line"),
        ("The tungsten is in the cellar, behind the ladder.", ""),
        ("The tungsten is dear", "The tungsten is dear"),
        ("a.  b\n\nc", "a.  b\n\nc"),
        ("So:\n```\nThe lamps listen on 8080\n```", "So:\n```\nThe lamps listen on 8080\n```"),
    ],
)
def test_covered_sentences_are_left_out(text, left):
    assert Said(SAID).without(text) == left


# What differs


@pytest.mark.parametrize(
    ("text", "differs"),
    [
        ("Use pnpm, never npm", True),
        ("The lamps listen on port 8081", True),
        ("The tungsten is in the attic, behind the ladder", True),
        ("We ship on Fridays with the night train", False),
        ("tungsten", False),
    ],
)
def test_a_note_about_what_a_line_is_about_differs_from_it(text, differs):
    assert Said(SAID + "\n- Use npm, never pnpm\n").differs([text]) == [differs]


@pytest.mark.parametrize(
    ("line", "text", "differs"),
    [
        ("- Use pnpm, not npm.", "Always use pnpm, not npm.", False),
        ("- **Always** use pnpm, not npm.", "use pnpm, not npm", False),
        ("You should always write tests first.", "We always write tests first.", False),
        ("- Use pnpm, not npm.", "Always use npm, not pnpm.", True),
        ("Never:\n- always use pnpm, not npm", "Always use pnpm, not npm.", True),
    ],
)
def test_who_is_told_and_that_it_holds_always_makes_no_difference(line, text, differs):
    assert Said(f"# Rules\n\n{line}\n").differs([text]) == [differs]


@pytest.mark.parametrize(
    ("line", "text", "differs"),
    [
        ("- Use npm for installing.", "Use pnpm for installing.", True),
        ("- Use npm.", "Use pnpm, not npm.", True),
        ("- Deploys go to Bonn.", "Deploys go to Kiel.", True),
        ("- Always deploy to Bonn.", "We deploy to Kiel.", True),
        ("- Use npm.", "Use ruff.", False),
        ("- Use npm.", "Deploy with make, not npm.", False),
        ("- Run tests in CI.", "Run lint before you push.", False),
    ],
)
def test_a_short_statement_that_puts_a_few_words_in_the_place_of_others_differs(line, text, differs):
    assert Said(f"# Rules\n\n{line}\n").differs([text]) == [differs]


# Which files are read


def test_the_instructions_of_project_and_user_are_read(a_project, a_home, tmp_path):
    (tmp_path / "shop" / "CLAUDE.md").write_text("Tungsten is dear, as are lamps\n")
    (a_home / ".claude").mkdir()
    (a_home / ".claude" / "CLAUDE.md").write_text("- polish lanterns every evening\n")
    said = block.read_instructions(a_project, event.instructions())
    assert said.covers("tungsten is dear, as are lamps") and said.covers("Polish lanterns every evening")


def test_the_folder_of_the_clients_config_may_be_elsewhere(a_project, the_environment, tmp_path):
    (tmp_path / "CLAUDE.md").write_text("polish lanterns every evening\n")
    the_environment(CLAUDE_CONFIG_DIR=tmp_path)
    assert block.read_instructions(a_project, event.instructions()).covers("polish lanterns every evening")


def test_where_there_are_no_instructions_nothing_is_known(a_project, tmp_path):
    assert block.read_instructions(a_project, event.instructions()) is None
    (tmp_path / "shop" / "CLAUDE.md").write_text(" \n")
    assert block.read_instructions(a_project, event.instructions()) is None


@pytest.fixture
def imported(a_project, a_home, tmp_path):
    """Write the project's files and say whether a sentence of one of them is known."""

    def known(files, text="The lamps are oiled on Mondays"):
        for name, content in files.items():
            file = a_home / name[2:] if name[:2] == "~/" else tmp_path / "shop" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        said = block.read_instructions(a_project, event.instructions())
        return bool(said and said.covers(text))

    return known


LAMPS = "- The lamps are oiled on Mondays\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("@AGENTS.md", "AGENTS.md"),
        ("See @docs/lamps.md for lamps.", "docs/lamps.md"),
        ("See @./docs/lamps.md#oil", "docs/lamps.md"),
        ("- @../beside.md", "../beside.md"),
        ("@~/my/lamps.md", "~/my/lamps.md"),
        ("@my\\ lamps.md", "my lamps.md"),
        ("`x` @AGENTS.md", "AGENTS.md"),
    ],
)
def test_what_is_imported_is_read_too(imported, text, place):
    assert imported({"CLAUDE.md": text + "\n", place: LAMPS})


@pytest.mark.parametrize(
    "text",
    ["`@AGENTS.md`", "```\n@AGENTS.md\n```", "ada@AGENTS.md", "<!-- @AGENTS.md -->", "@ AGENTS.md", "AGENTS.md", "@@AGENTS.md"],
)
def test_what_only_looks_like_an_import_is_not_read(imported, text):
    assert not imported({"CLAUDE.md": text + "\n", "AGENTS.md": LAMPS})


def test_an_import_is_seen_from_the_file_that_names_it(imported):
    assert imported({"CLAUDE.md": "@docs/one.md", "docs/one.md": "@two.md", "docs/two.md": LAMPS})


@pytest.mark.parametrize(("hops", "known"), [(5, True), (6, False)])
def test_imports_are_followed_five_hops_deep(imported, hops, known):
    chain = {f"{number}.md": f"@{number + 1}.md" for number in range(1, hops)}
    assert imported({"CLAUDE.md": "@1.md", **chain, f"{hops}.md": LAMPS}) is known


def test_files_that_import_each_other_are_read_once(imported):
    assert imported({"CLAUDE.md": "@a.md", "a.md": "@b.md\n" + LAMPS, "b.md": "@a.md @CLAUDE.md"})


def test_what_the_client_keeps_from_the_model_covers_nothing(imported):
    assert not imported({"CLAUDE.md": "<!--\n- The lamps are oiled on Mondays\n-->\n"})
