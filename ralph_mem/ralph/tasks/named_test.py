"""Make the command that runs one named test, such as `tests/test_cart.py::test_total`."""

import re
import shlex

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph.criteria import finding, python_project

HINT = "name it as tests/test_cart.py::test_total, or in Go as cart/cart_test.go::TestTotal; for other tools write `check: COMMAND`"
GO_NAME = re.compile(r"Test\w*(?:/[\w./-]+)?")


class Commands:
    """Makes command lines of the names of tests, which may not be there yet; the project's runner is looked for once."""

    __slots__ = ("starter", "top")

    def __init__(self, top: str) -> None:
        self.top = top
        self.starter: tuple[tuple[str, ...], bool] | None = None

    def of(self, name: str) -> str:
        """Return the command line of a test. Raises LoopError for a name that is none."""
        file, _, test = name.partition("::")
        if not file or file.startswith(("/", "-")) or ".." in file.split("/") or not name.isprintable():
            raise LoopError(f"`{name[:80]}` names no test", HINT)
        if file.endswith(".py"):
            return shlex.join(self._python(file, test))
        if file.endswith("_test.go") and GO_NAME.fullmatch(test):
            pattern = "/".join([f"^{part}$" for part in test.split("/")])
            return shlex.join(["go", "test", "-count=1", "-v", "-run", pattern, f"./{file.rpartition('/')[0]}"])
        raise LoopError(f"`{name[:80]}` names no test that can be run by itself", HINT)

    def _python(self, file: str, test: str) -> "tuple[str, ...]":
        self.starter = self.starter or python_project.test_starter(finding.Place(self.top, self.top))
        words, takes_dotted = self.starter
        if takes_dotted:
            return (*words, ".".join([*file[:-3].split("/"), *filter(None, test.split("::"))]))
        return (*words, f"{file}::{test}" if test else file)
