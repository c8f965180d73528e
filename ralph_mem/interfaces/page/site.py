"""Write the page's views as files, redacted, for a look elsewhere."""

import os
import time
from pathlib import Path
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count
from ralph_mem.core.project import Project, find
from ralph_mem.core.redaction import whole
from ralph_mem.interfaces.page import rendering, routes
from ralph_mem.interfaces.page.asking import HERE, Asked
from ralph_mem.maintenance.transfer import home

LEFT_OUT = ("search", "forget", "projects", "gone", "relation")  # forms alone, and what tells of other projects
MOST_OF_A_KIND = 1_000  # pages: a folder that a browser still lists
HINT = "name a new or empty folder of yours that lies in no repository"


class Site:
    """A folder of files that is being written: what leads to which file, and which are still to write."""

    def __init__(self, project: Project, folder: Path) -> None:
        self.project, self.folder = project, folder
        self.waiting: list[tuple[str, str, int]] = [(name, "", 1) for name in routes.VIEWS if self._is_listed(name)]
        self.known = set(self.waiting)
        self.protect: Any = None

    def _is_listed(self, name: str) -> bool:
        return bool(routes.VIEWS[name].listed) and name not in LEFT_OUT

    def link(self, view: str, public_id: str = "", project: str = "", page: int = 1, **_fields: Any) -> str:
        """Return the file of a view, and have it written; nothing for what a site has not."""
        if view == "static":
            return public_id
        if project or view in LEFT_OUT or view not in routes.VIEWS or (public_id and not _is_name(public_id)):
            return ""
        wanted = (view, public_id, page)
        if wanted not in self.known:
            if len(self.known) > MOST_OF_A_KIND:
                return ""
            self.known.add(wanted)
            self.waiting.append(wanted)
        return _file(*wanted)

    def write(self) -> int:
        """Write all files; returns how many pages those are. Raises RalphMemError."""
        done = 0
        with Asked(self.project, HERE) as asked:
            self.protect = whole.protector(asked.project, asked.settings)
        self._put("page.css", (rendering.STATIC / "page.css").read_text(encoding="utf-8"))
        while self.waiting:
            view, public_id, page = self.waiting.pop(0)
            self._put(_file(view, public_id, page), self._page(view, public_id, page))
            done += 1
        self._put("index.html", self._page("today", "", 1))
        return done

    def _page(self, name: str, public_id: str, page: int) -> str:
        view = routes.VIEWS[name]
        fields = {"page": [str(page)]} if page > 1 else {}
        with Asked(self.project, HERE, public_id, fields) as asked:
            frame = {**routes.frame(asked, name, view.title, self.link), "is_site": True}
            frame["nav"] = [(heading, [each for each in views if each[0] not in LEFT_OUT]) for heading, views in frame["nav"]]
            try:
                values = whole.of_json(view.read(asked), self.protect, {})
            except RalphMemError as error:  # such as a memory that is forgotten, of which a receipt tells
                return rendering.page("failed.html", {**frame, "what": str(error), "hint": "", "typed": "", "status": 404})
            return rendering.page(f"{name}.html", {**values, **frame})

    def _put(self, name: str, text: str) -> None:
        file = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(text)


def write(project: Project, target: str) -> str:
    """Write the memory of a project into a new or empty folder; says where. Raises RalphMemError."""
    folder = Path(target).absolute()
    _check(folder)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        home.list_it(str(folder), time.time_ns() // 1_000_000)  # before the first page: a forget has to name what a kill left, too
        done = Site(project, folder).write()
    except OSError as error:
        raise RalphMemError(f"cannot write {folder}: {error.strerror}", HINT) from error
    return f"Wrote {count(done, 'page')}: open {folder / 'index.html'}"


def _check(folder: Path) -> None:
    """Raise RalphMemError for a folder that holds something, is a link, or would be part of a repository."""
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise RalphMemError(f"{folder} is not a new or empty folder", HINT)
    if not folder.parent.is_dir():
        raise RalphMemError(f"{folder.parent} is not there", HINT)
    if find(str(folder.parent)).git:
        raise RalphMemError(f"{folder} lies in a repository, which would take it along", HINT)


def _is_name(public_id: str) -> bool:
    return public_id.isascii() and public_id.replace("-", "").isalnum()


def _file(view: str, public_id: str, page: int) -> str:
    return "-".join([view, *([public_id] if public_id else []), *([str(page)] if page > 1 else [])]) + ".html"
