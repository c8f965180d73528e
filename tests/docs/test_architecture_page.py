"""The page on architecture says what the tests of the architecture hold."""

import re

from tests import house, test_architecture
from tests.docs import ROOT

ROW = re.compile(r"^\| (\d) \| `([\w/.]+)` \| (3\.\d+) \| (.+) \|$", re.MULTILINE)
VERSIONS = {test_architecture.OLD: "3.9", test_architecture.NEW: "3.10"}
TEXT = (ROOT / "docs" / "architecture.md").read_text()


def layer_of(folder):
    room = "hooks" if folder == "hooks" else house.room_of(folder.replace("/", "."))
    return next(str(number) for number, rooms in enumerate(test_architecture.LAYERS) if room in rooms)


def test_the_table_of_layers_says_what_the_architecture_test_holds():
    shown = {folder: (layer, python, packages) for layer, folder, python, packages in ROW.findall(TEXT)}
    assert shown == {
        folder: (layer_of(folder), VERSIONS[python], ", ".join(packages) or "none")
        for folder, (python, packages) in test_architecture.FOLDERS.items()
    }


def test_every_package_at_the_top_stands_in_the_table_of_folders():
    there = {f"ralph_mem/{path.name}/" for path in (ROOT / "ralph_mem").iterdir() if (path / "__init__.py").exists()}
    assert there <= set(re.findall(r"^\| `([\w/]+)` \|", TEXT, re.MULTILINE))
