"""Small projects with tests of real runners, of which one fails, and agents that are scripts."""

import sys

from ralph_mem.ralph import record, runs
from tests.ralph.loops import Loops

PYTEST = f"test_pass={sys.executable} -m pytest -q -p no:cacheprovider"
SHOP = "def total(prices):\n    return sum(prices[:-1])\n"
MENDED = "def total(prices):\n    return sum(prices)\n"
TEST = """\
from shop import total


def test_total():
    assert total([1, 2]) == 3


def test_none():
    assert total([]) == 0
"""
MEND = f"cat >shop.py <<'X'\n{MENDED}X"
NODE_MEND = "sed -i s/.slice.1.// shop.js"
SETTINGS = '[project]\nname = "shop"\ndependencies = []\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'
NODE_SHOP = "exports.total = (prices) => prices.slice(1).reduce((a, b) => a + b, 0);\n"
NODE_MENDED = "exports.total = (prices) => prices.reduce((a, b) => a + b, 0);\n"
NODE_TEST = """\
const test = require("node:test");
const assert = require("node:assert");
const { total } = require("../shop.js");

test("adds", () => {
  assert.strictEqual(total([1, 2]), 3);
});
test("none", () => {
  assert.strictEqual(total([]), 0);
});
"""
PACKAGE = '{\n  "name": "shop",\n  "scripts": {\n    "test": "node --test test/"\n  }\n}\n'
ORDINARY = ("shop.py", "shop.js", "check.sh", "one.txt", "two.txt", "three.txt")


class Shop(Loops):
    """A shop in Python whose total forgets a price."""

    def __init__(self, folder):
        super().__init__(folder)
        self.write("shop.py", SHOP)
        self.write("tests/test_shop.py", TEST)
        self.write("pyproject.toml", SETTINGS)

    def entries(self, run):
        """Return the record of a run."""
        return record.read(runs.path_of(self.project, run.id))

    def confirmations(self, run):
        """Return what the record says of each time that a run's success was to be confirmed."""
        return [entry for entry in self.entries(run) if entry["what"] == "confirmed"]

    def judges(self):
        """Return every file that is no product, caches aside, with what it says."""
        found = [path for path in self.top.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        return {
            str(path.relative_to(self.top)): path.read_text()
            for path in found
            if path.name not in ORDINARY or path.parent != self.top
        }


class NodeShop(Loops):
    """The same shop for Node."""

    def __init__(self, folder):
        super().__init__(folder)
        self.write("shop.js", NODE_SHOP)
        self.write("test/shop.test.js", NODE_TEST)
        self.write("package.json", PACKAGE)

    judges = Shop.judges
