"""Lead each address to its view or form, and answer errors with what to do."""

import secrets
import threading
from collections import namedtuple
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from ralph_mem.core import fast
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import terminal
from ralph_mem.interfaces.page import (
    fact_forms,
    fact_views,
    forget_forms,
    loop_views,
    memory_forms,
    memory_views,
    rendering,
    security,
    upkeep_views,
)
from ralph_mem.interfaces.page.asking import GLOBAL, HERE, Asked
from ralph_mem.interfaces.page.forget_forms import Shown
from ralph_mem.interfaces.page.memory_forms import Done
from ralph_mem.memory.notes_by_hand import NotAsShown

# What can be looked at: its title, what reads it, and whether it stands in the navigation; its template is called as it is.
View = namedtuple("View", "title read listed", defaults=(True,))
VIEWS = {
    "today": View("Today", memory_views.today),
    "sessions": View("Sessions", memory_views.sessions),
    "search": View("Search", memory_views.search),
    "facts": View("Facts", fact_views.facts),
    "playbook": View("Playbook", fact_views.rules),
    "relations": View("Relations", fact_views.related),
    "loops": View("Loops", loop_views.loops),
    "growth": View("Growth and cost", upkeep_views.grown),
    "review": View("Review", fact_views.review),
    "forget": View("Forget", upkeep_views.forget),
    "health": View("Health", upkeep_views.health),
    "settings": View("Settings", upkeep_views.settings),
    "projects": View("Projects", upkeep_views.projects),
    "session": View("Session", memory_views.session, False),
    "memory": View("Memory", memory_views.memory, False),
    "fact": View("Fact", fact_views.fact, False),
    "loop": View("Loop", loop_views.loop, False),
}
FORMS: dict[str, Callable[[Asked], Done | Shown]] = {
    "note": memory_forms.note, "edit": memory_forms.edit, "pin": memory_forms.pin, "wrong": memory_forms.wrong,
    "undo": memory_forms.undo, "set": memory_forms.set_, "forget": forget_forms.forget,
    "fact-add": fact_forms.add, "fact-edit": fact_forms.edit, "fact-accept": fact_forms.accept, "fact-reject": fact_forms.reject,
    "fact-retire": fact_forms.retire, "fact-undo": fact_forms.undo, "fact-promote": fact_forms.promote,
    "decide": fact_forms.all_waiting, "key-set": fact_forms.key_set, "key-delete": fact_forms.key_delete,
    "relation-edit": fact_forms.relation_edit, "relation-remove": fact_forms.relation_remove,
}  # fmt: skip
MOST_FIELDS = 300
MOST_SAID = 20  # messages that wait to be shown: each is shown on the next page
DATABASE = fast.load_sqlite().Error


class Page:
    """The page of one run: which project it was started in, what it is opened by, and what is to be said on the next view."""

    def __init__(self, started_in: Project, keys: security.Keys, note: Callable[[str], object]) -> None:
        self.started_in, self.keys, self.note = started_in, keys, note
        self.said: dict[str, str] = {}
        self.alone = threading.Lock()  # one person asks for one thing after the other, and what is read into is not for threads

    def app(self) -> security.Guard:
        """Return what answers requests."""
        base = self.keys.base
        routes = [
            Route(f"{base}/", self.start, methods=["GET"]),
            Route(f"{base}/static/{{name}}", self.static, methods=["GET"]),
            Route(f"{base}/{{where}}/do/{{verb}}", self.do, methods=["POST"]),
            Route(f"{base}/{{where}}/{{view}}", self.look, methods=["GET"]),
            Route(f"{base}/{{where}}/{{view}}/{{public_id}}", self.look, methods=["GET"]),
        ]
        return security.Guard(Starlette(routes=routes), self.keys)

    async def start(self, _request: Request) -> Response:
        """Lead to the first view."""
        return RedirectResponse(f"{self.keys.base}/{HERE}/today", HTTPStatus.SEE_OTHER)

    async def static(self, request: Request) -> Response:
        """Answer with one of our files; there is one."""
        if request.path_params["name"] != "page.css":
            return self._failed("there is no such file", "", HTTPStatus.NOT_FOUND)
        return Response((rendering.STATIC / "page.css").read_bytes(), media_type="text/css")

    async def look(self, request: Request) -> Response:
        """Show a view."""
        path = request.path_params
        fields = parse_qs(request.url.query, keep_blank_values=True, max_num_fields=MOST_FIELDS)
        return await run_in_threadpool(self._answer, path["where"], path["view"], path.get("public_id", ""), fields, None)

    async def do(self, request: Request) -> Response:
        """Do what a form asks for."""
        try:
            fields = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
        except ValueError:
            return self._failed("this is no form of ours", "go back and try again", HTTPStatus.BAD_REQUEST)
        if not security.same(fields.pop("form", [""])[0], self.keys.form):
            return self._failed("this form is of another run of the page", "open it anew and try again", HTTPStatus.FORBIDDEN)
        verb, public_id = request.path_params["verb"], fields.pop("id", [""])[0]
        return await run_in_threadpool(self._answer, request.path_params["where"], verb, public_id, fields, FORMS.get(verb))

    def _answer(
        self, where: str, name: str, public_id: str, fields: dict[str, list[str]], form: Callable[[Asked], Done | Shown] | None
    ) -> Response:
        """Answer one request within its own time, whatever goes wrong."""
        with self.alone:
            try:
                with Asked(self.started_in, where, public_id, fields) as asked:
                    return self._done(asked, form(asked)) if form else self._shown(asked, name)
            except NotAsShown as error:
                return self._failed(str(error), error.hint, HTTPStatus.CONFLICT, where, fields.get("text", [""])[0])
            except RalphMemError as error:
                return self._failed(str(error), error.hint, HTTPStatus.BAD_REQUEST, where, fields.get("text", [""])[0])
            except DATABASE as error:
                return self._failed(f"the database: {error}", "`ralph-mem doctor` says more", HTTPStatus.SERVICE_UNAVAILABLE, where)
            except Exception as error:  # what failed and where, without a text of a memory
                at = error.__traceback__
                while at and at.tb_next:
                    at = at.tb_next
                place = f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}" if at else ""
                self.note(f"{type(error).__name__} at {place}")
                return self._failed(f"a bug: {type(error).__name__}", "the page's log says where", HTTPStatus.INTERNAL_SERVER_ERROR)

    def _shown(self, asked: Asked, name: str) -> Response:
        view = VIEWS.get(name)
        if view is None:
            return self._failed("there is no such page", "", HTTPStatus.NOT_FOUND, asked.where)
        message = self.said.pop(asked.fields.pop("said", [""])[0], "")
        values = {**frame(asked, name, view.title, self._link(asked.where)), "form": self.keys.form, "said": message}
        return HTMLResponse(rendering.page(f"{name}.html", {**view.read(asked), **values}))

    def _done(self, asked: Asked, done: Done | Shown) -> Response:
        """Lead to what has changed, where it is said what was done; a reload does it no second time."""
        if isinstance(done, Shown):
            values = {**frame(asked, "forget", "Forget", self._link(asked.where)), "form": self.keys.form, "said": ""}
            return HTMLResponse(rendering.page(done.template, {**done.values, **values}))
        key = secrets.token_hex(4)
        self.said = {**dict(list(self.said.items())[-MOST_SAID:]), key: done.said}
        return RedirectResponse(self._link(asked.where)(done.view, done.public_id, said=key), HTTPStatus.SEE_OTHER)

    def _failed(self, what: str, hint: str, status: HTTPStatus, where: str = HERE, typed: str = "") -> Response:
        """Say what went wrong and what to do; what was typed is given back."""
        known = where if where in (HERE, GLOBAL) or where.startswith("project-") else HERE
        values = {**nothing(known, self._link(known)), "what": what, "hint": hint, "typed": typed, "status": int(status)}
        return HTMLResponse(rendering.page("failed.html", values), status)

    def _link(self, where: str) -> rendering.Link:
        base = self.keys.base

        def link(view: str, public_id: str = "", project: str = "", **fields: Any) -> str:
            if view == "static":
                return f"{base}/static/{public_id}"
            more = f"/{quote(public_id, safe='')}" if public_id else ""
            kept = {name: value for name, value in fields.items() if value not in ("", None)}
            return f"{base}/{quote(project or where, safe='')}/{view}{more}" + (f"?{urlencode(kept)}" if kept else "")

        return link


def nothing(where: str, link: rendering.Link) -> dict[str, Any]:
    """Return what every page shows around its view."""
    nav = [(name, view.title) for name, view in VIEWS.items() if view.listed]
    return {"nav": nav, "link": link, "where": where, "view": "", "title": "ralph-mem", "project": "", "id": "", "is_site": False,
            "form": "", "said": ""}  # fmt: skip


def frame(asked: Asked, name: str, title: str, link: rendering.Link) -> dict[str, Any]:
    """Return what every page shows around a view of a project."""
    project = "all projects" if asked.is_global else terminal.plain(asked.project.root)
    return {**nothing(asked.where, link), "view": name, "title": title, "project": project, "id": asked.public_id}
