"""What judges where jest, vitest or mocha run the tests: by their settings, their command lines and what is installed."""

import json
import shutil

import pytest

from ralph_mem.ralph.criteria import Criterion
from ralph_mem.ralph.judges import installed, kinds, loaded, named, placed
from tests.folded import folded
from tests.ralph.judges.shops import NODE_MEND, NODE_TEST, NodeShop

needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


def settings(files):
    return [path for path in files if loaded.is_setting(path)]


def are_placed(files, definition="", argv=("npm", "test"), folder="/shop"):
    """Return where the tests of a project lie that has these settings, and this behind its check."""
    criterion = Criterion("test_pass", "check", argv, folder, 60, 0, "", definition)
    return placed.of([criterion], "/shop", settings(files), files.get)


# A settings file, what it says, a test by that, and a file of the product.
BY_SETTINGS = (
    (".mocharc.json", '{"spec": ["checks/**/*.js"]}', "checks/cart.js", "cart.js"),
    (".mocharc.yml", "spec:\n  - checks/**/*.js\ntimeout: 5000\n", "checks/cart.js", "cart.js"),
    ("package.json", '{"mocha": {"spec": "./checks/*.js"}, "files": ["dist/*.js"]}', "checks/cart.js", "dist/cart.js"),
    ("jest.config.js", "module.exports = { testMatch: ['<rootDir>/checks/**/*.[jt]s?(x)'] };", "checks/a/cart.tsx", "cart.js"),
    ("jest.config.js", "module.exports = { testMatch: ['**/*.proof.js'] };", "src/cart.proof.js", "src/cart.js"),
    ("package.json", '{"jest": {"testRegex": "/checks/.*\\\\.js$"}}', "checks/cart.js", "checks/cart.json"),
    ("vitest.config.ts", "{ include: ['checks/*.{js,ts}'], coverage: { include: ['core/*.js'] } }", "checks/a.ts", "core/cart.js"),
    ("web/vitest.config.ts", "test: { include: ['checks/**/*.js'] }", "web/checks/cart.js", "checks/cart.js"),
    ("vitest.config.ts", "test: { include: ['src/**/*.js', 'src/*.proof.js'] }", "src/cart.proof.js", "src/cart.js"),
    ("pytest.ini", "[pytest]\npython_files = check_*.py\n  *_proof.py\ntestpaths = shop\n", "shop/a_proof.py", "shop/cart.py"),
)  # fmt: skip


@folded(("path", "says", "test", "product"), BY_SETTINGS)
def test_a_test_is_what_the_settings_of_a_runner_call_so_and_the_product_is_none(path, says, test, product):
    found = are_placed({path: says})
    assert placed.has(found, test) and not placed.has(found, product)


@folded(("definition", "test"), [
    ("test: mocha checks", "checks/cart.js"),
    ("test: mocha --timeout 5000 'checks/**/*.js' && echo done", "checks/a/cart.js"),
    ("test: node --test checks/cart.js", "checks/cart.js"),
    ("test: npx tape checks/*.js | tap-spec", "checks/cart.js"),
    ("\tpython -m unittest discover -s checks -p 'check_*.py'", "checks/check_cart.py"),
])  # fmt: skip
def test_a_test_is_what_a_command_line_gives_to_a_runner(definition, test):
    found = are_placed({"checks/cart.js": ""}, definition)
    assert placed.has(found, test) and not placed.has(found, "shop.js")


def test_the_words_of_a_command_line_are_seen_from_where_it_runs():
    found = are_placed({}, argv=("mocha", "checks"), folder="/shop/web")
    assert placed.has(found, "web/checks/cart.js") and not placed.has(found, "checks/cart.js")


@folded("definition", ["test: mocha src", "test: jest server", "test: pytest shop", "test: vitest run core", "test: mocha"])
def test_a_folder_of_the_product_is_no_test_for_being_named(definition):
    found = are_placed({}, definition)
    assert not [path for path in ("src/a.js", "server/a.js", "shop/a.py", "core/a.js", "a.js") if placed.has(found, path)]


LOADS = {
    "jest.config.js": "const base = require('./tools/base');\nmodule.exports = { setupFiles: ['<rootDir>/helpers/setup.js'] };\n",
    "tools/base.js": "module.exports = { reporters: ['default'] };\n",
    "helpers/setup.js": "require('./matchers.js');\nrequire('../src/db.js');\nrequire('../cart.js');\n",
    "helpers/matchers.js": "expect.extend({});\n",
    "babel.config.js": "module.exports = { plugins: ['./babel/own-plugin.js'] };\n",
    "babel/own-plugin.js": "module.exports = () => ({});\n",
    "src/db.js": "", "cart.js": "",
}  # fmt: skip


def test_what_settings_and_set_up_import_is_loaded_before_the_tests_and_the_product_is_not():
    found = loaded.of(settings(LOADS), LOADS.get)
    assert found == {"tools/base.js", "helpers/setup.js", "helpers/matchers.js", "babel/own-plugin.js"}


@folded("path", ["__fixtures__/carts.json", ".yarn/releases/yarn-4.1.0.cjs", ".pnp.cjs", "src/__snapshots__/cart.snap"])
def test_what_the_tools_around_a_runner_keep_judges(path):
    assert kinds.judges(path)


def test_what_node_takes_its_environment_from_runs_with_the_tests():
    criterion = Criterion("test_pass", "npm test", ("npm", "test"), "/shop", 60, 0, "", "test: node --env-file=.env.test --test")
    assert named.of([criterion], "/shop", {".env.test": "TZ=UTC\n"}.get).scripts == {".env.test"}


class Installed:
    """A project with a runner that needs a package, and with a package that no runner needs."""

    def __init__(self, top):
        self.top, self.modules = top, top / "node_modules"
        self.criterion = Criterion("test_pass", "npm test", ("npm", "test"), str(top), 60, 0, "", "test: mocha test")
        self.around = {"PATH": str(top / "usr"), "HOME": str(top / "home")}
        self.package("mocha", {"colours": "1"})
        self.package("colours")
        self.package("left-pad")
        self.program("mocha")
        (top / "usr").mkdir()
        (top / "usr" / "diff").write_text("#!/bin/sh\n")
        (top / "usr" / "diff").chmod(0o755)
        self.marks = installed.marks([self.criterion], str(top), self.around)

    def package(self, name, needs=None, says=""):
        folder = self.modules / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"name": name, "dependencies": needs or {}}))
        (folder / "index.js").write_text(says)

    def program(self, name, says="#!/usr/bin/env node\n"):
        (self.modules / ".bin").mkdir(exist_ok=True)
        (self.modules / ".bin" / name).write_text(says)
        (self.modules / ".bin" / name).chmod(0o755)

    def told(self):
        """Return what was done since to what runs the tests."""
        found = installed.patched(self.marks, [self.criterion], str(self.top), self.around)
        return [line.removeprefix("node_modules/") for line in found]


@pytest.fixture
def packages(tmp_path):
    return Installed(tmp_path)


def test_a_package_that_a_runner_needs_runs_the_tests_as_well(packages):
    packages.package("left-pad", says="process.exit(0)")
    assert packages.told() == []
    packages.package("colours", says="process.exit(0)")
    assert packages.told() == ["colours was changed"]


def test_a_package_that_the_runner_would_take_before_the_one_it_has_is_told(packages):
    packages.package("mocha/node_modules/colours", says="process.exit(0)")
    assert packages.told() == ["mocha/node_modules/colours is new"]


def test_a_new_package_nearer_to_the_tests_than_the_one_of_its_name_is_told(packages):
    packages.package("../test/node_modules/mocha", says="process.exit(0)")
    packages.package("../test/node_modules/other")
    assert packages.told() == ["test/node_modules/mocha is new"]


def test_a_new_package_with_a_program_is_nobody_s_runner(packages):
    packages.package("prettier", {"wcwidth": "1"})
    packages.program("prettier")
    assert packages.told() == []


@pytest.mark.parametrize(("name", "told"), [("mocha", "was changed"), ("diff", "is new"), ("npm", "is new")])
def test_a_program_of_packages_that_stands_before_another_or_that_a_check_names_is_told(packages, name, told):
    packages.program(name, "#!/bin/sh\nexit 0\n")
    assert packages.told() == [f".bin/{name} {told}"]


def test_a_package_behind_a_link_is_told_by_where_it_lies(tmp_path):
    packages = Installed(tmp_path)
    store = packages.modules / ".pnpm" / "mocha@11" / "node_modules"
    store.mkdir(parents=True)
    shutil.move(packages.modules / "mocha", store / "mocha")
    shutil.move(packages.modules / "colours", store / "colours")
    (packages.modules / "mocha").symlink_to(store / "mocha")
    packages.marks = installed.marks([packages.criterion], str(packages.top), packages.around)
    (store / "colours" / "index.js").write_text("process.exit(0)")
    assert packages.told() == [".pnpm/mocha@11/node_modules/colours was changed"]


@pytest.mark.check
@needs_node
@pytest.mark.parametrize(("step", "reason"), [("sed -i '/strictEqual.*3/d' checks/shop.js", "tampered"), (NODE_MEND, "success")])
def test_a_test_that_only_the_command_line_calls_so_is_a_judge(tmp_path, step, reason):
    shop = NodeShop(tmp_path)
    shutil.move(shop.top / "test", shop.top / "checks")
    (shop.top / "checks" / "shop.test.js").rename(shop.top / "checks" / "shop.js")
    shop.write("package.json", '{"scripts": {"test": "node --test checks/shop.js"}}\n')
    run = shop.start(step, criteria=("test_pass",), tampering=0)
    assert run.reason == reason and shop.text("checks/shop.js") == NODE_TEST
