"""Lead each address to its view or form, and answer errors with what to do."""

import secrets
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from ralph_mem.core import fast
from ralph_mem.core.errors import NotAsShown, RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import terminal
from ralph_mem.interfaces.page import (
    fact_views,
    forms,
    loop_views,
    memory_views,
    rendering,
    security,
    upkeep_views,
)
from ralph_mem.interfaces.page.asking import GLOBAL, HERE, Asked
from ralph_mem.interfaces.page.forms import Done, Shown
from ralph_mem.maintenance import registry
from ralph_mem.memory import inspect

# What can be looked at: its title, what reads it, below which heading it stands in the navigation, if it does, and whether it
# takes seconds, so that its frame goes first. Its template is called as it is.
View = namedtuple("View", "title read listed is_slow", defaults=("", False))
LOOK, KNOWN, KEEP = "Look", "What holds", "Keep in order"
VIEWS = {
    "today": View("Today", memory_views.today, LOOK),
    "sessions": View("Sessions", memory_views.sessions, LOOK),
    "search": View("Search", memory_views.search, LOOK),
    "loops": View("Loops", loop_views.loops, LOOK),
    "growth": View("Growth and cost", upkeep_views.grown, LOOK),
    "facts": View("Facts", fact_views.facts, KNOWN),
    "playbook": View("Playbook", fact_views.rules, KNOWN),
    "relations": View("Relations", fact_views.related, KNOWN),
    "review": View("Review", fact_views.review, KNOWN),
    "health": View("Health", upkeep_views.health, KEEP, True),
    "settings": View("Settings", upkeep_views.settings, KEEP),
    "projects": View("Projects", upkeep_views.projects, KEEP),
    "forget": View("Forget", upkeep_views.forget, KEEP),
    "session": View("Session", memory_views.session),
    "memory": View("Memory", memory_views.memory),
    "fact": View("Fact", fact_views.fact),
    "relation": View("Relation", fact_views.relation),
    "loop": View("Loop", loop_views.loop),
    "gone": View("A project that is gone", upkeep_views.gone),
}
FORMS: dict[str, Callable[[Asked], Done | Shown]] = {
    "note": forms.note, "edit": forms.edit, "pin": forms.pin, "wrong": forms.wrong,
    "undo": forms.undo, "set": forms.set_, "forget": forms.forget,
    "fact-add": forms.fact_add, "fact-edit": forms.fact_edit, "fact-accept": forms.fact_accept, "fact-reject": forms.fact_reject,
    "fact-retire": forms.fact_retire, "fact-undo": forms.fact_undo, "fact-promote": forms.fact_promote,
    "fact-fold": forms.fact_fold, "key-set": forms.key_set, "key-delete": forms.key_delete,
    "relation-edit": forms.relation_edit, "relation-remove": forms.relation_remove,
}  # fmt: skip
FILES = {"page.css": "text/css", "page.js": "text/javascript"}
TYPED = ("text", "also", "value", "subject", "object", "confidence")  # fields of free text in the forms that keep or correct
MOST_FIELDS = 300
MOST_PLACES = 80  # projects in the switcher; a view lists them all
MOST_SAID = 20  # messages that wait to be shown: each is shown on the next page
DATABASE = fast.load_sqlite().Error


class Page:
    """The page of one run: which project it was started in, what it is opened by, and what is to be said on the next view."""

    def __init__(self, started_in: Project, keys: security.Keys, note: Callable[[str], object]) -> None:
        self.started_in, self.keys, self.note = started_in, keys, note
        self.said: dict[str, str] = {}
        self.spoken = rendering.ENGLISH  # the language of whoever asked last; there is one person
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

    async def start(self, request: Request) -> Response:
        """Lead to the first view of a project, of that where the page was started unless one is chosen."""
        wanted = request.query_params.get("where", HERE)
        known = {number: there for number, _, there in registry.names()} | {HERE: True, GLOBAL: True}
        link = self._link(wanted if known.get(wanted) else HERE)
        return RedirectResponse(link("today") if known.get(wanted, True) else link("gone", wanted), HTTPStatus.SEE_OTHER)

    async def static(self, request: Request) -> Response:
        """Answer with one of our files."""
        name = request.path_params["name"]
        if name not in FILES:
            return self._failed("there is no such file", "", HTTPStatus.NOT_FOUND)
        return Response((rendering.STATIC / name).read_bytes(), media_type=FILES[name])

    async def look(self, request: Request) -> Response:
        """Show a view."""
        path, self.spoken = request.path_params, rendering.language_of(request.headers.get("accept-language", ""))
        try:
            fields = parse_qs(request.url.query, keep_blank_values=True, max_num_fields=MOST_FIELDS)
        except ValueError:
            return self._failed("this is no address of ours", "go back and try again", HTTPStatus.BAD_REQUEST)
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
                return self._failed(str(error), error.hint, HTTPStatus.CONFLICT, where, _typed(fields))
            except RalphMemError as error:
                return self._failed(str(error), error.hint, HTTPStatus.BAD_REQUEST, where, _typed(fields))
            except DATABASE as error:
                told = inspect.unusable(error)
                return self._failed(str(told), told.hint, HTTPStatus.SERVICE_UNAVAILABLE, where)
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
        values = {**frame(asked, name, view.title, self._link(asked.where), self.spoken), "form": self.keys.form, "said": message}
        if view.is_slow:
            return StreamingResponse(self._slowly(asked, name, values), media_type="text/html")
        return HTMLResponse(rendering.page(f"{name}.html", {**view.read(asked), **values}))

    def _slowly(self, asked: Asked, name: str, values: dict[str, Any]) -> Iterator[str]:
        """Give the frame of a view at once, and what takes seconds when it is known; nobody else has to wait for it."""
        yield rendering.page("base.html", values).partition(rendering.HERE_BEGINS)[0]
        try:
            whole = rendering.page(f"{name}.html", {**VIEWS[name].read(asked), **values})
        except (RalphMemError, DATABASE) as error:
            told = error if isinstance(error, RalphMemError) else inspect.unusable(error)
            more = {"what": str(told), "hint": told.hint, "typed": "", "status": 500}
            whole = rendering.page("failed.html", {**values, **more})
        yield whole.partition(rendering.HERE_BEGINS)[2]

    def _done(self, asked: Asked, done: Done | Shown) -> Response:
        """Lead to what has changed, where it is said what was done; a reload does it no second time."""
        if isinstance(done, Shown):
            values = {**frame(asked, "forget", "Forget", self._link(asked.where), self.spoken), "form": self.keys.form, "said": ""}
            return HTMLResponse(rendering.page(done.template, {**done.values, **values}))
        key = secrets.token_hex(4)
        self.said = {**dict(list(self.said.items())[-MOST_SAID:]), key: done.said}
        return RedirectResponse(self._link(asked.where)(done.view, done.public_id, said=key), HTTPStatus.SEE_OTHER)

    def _failed(self, what: str, hint: str, status: HTTPStatus, where: str = HERE, typed: str = "") -> Response:
        """Say what went wrong and what to do; what was typed is given back."""
        known = where if where in (HERE, GLOBAL) or where.startswith("project-") else HERE
        values = {
            **nothing(known, self._link(known), self.spoken),
            "what": what,
            "hint": hint,
            "typed": typed,
            "status": int(status),
        }
        return HTMLResponse(rendering.page("failed.html", values), status)

    def _link(self, where: str) -> rendering.Link:
        base = self.keys.base

        def link(view: str, public_id: str = "", project: str = "", **fields: Any) -> str:
            if view in ("static", "start"):
                return f"{base}/static/{public_id}" if public_id else f"{base}/"
            more = f"/{quote(public_id, safe='')}" if public_id else ""
            kept = {name: value for name, value in fields.items() if value not in ("", None)}
            return f"{base}/{quote(project or where, safe='')}/{view}{more}" + (f"?{urlencode(kept)}" if kept else "")

        return link


def _typed(fields: dict[str, list[str]]) -> str:
    """Return what was typed into the fields of a form that are for free text, a line each."""
    return "\n".join([fields[name][0] for name in TYPED if fields.get(name, [""])[0]])


def nothing(where: str, link: rendering.Link, spoken: str = rendering.ENGLISH) -> dict[str, Any]:
    """Return what every page shows around its view, in a language."""
    nav = [(heading, [(name, view.title) for name, view in VIEWS.items() if view.listed == heading])
           for heading in (LOOK, KNOWN, KEEP)]  # fmt: skip
    return {
        "nav": nav, "_": rendering.words(spoken), "language": spoken, "link": link, "where": where, "view": "",
        "title": "ralph-mem", "project": "", "id": "", "is_site": False, "form": "", "said": "", "places": [], "base": "",
    }  # fmt: skip


def frame(asked: Asked, name: str, title: str, link: rendering.Link, spoken: str = rendering.ENGLISH) -> dict[str, Any]:
    """Return what every page shows around a view of a project, in a language."""
    project = "all projects" if asked.is_global else asked.project.root
    found = [{"id": number, "name": path.rpartition("/")[2] or path, "path": path, "there": there}
             for number, path, there in registry.names() if path != asked.started_in.root]  # fmt: skip
    return {
        **nothing(asked.where, link, spoken), "view": name, "title": title, "project": terminal.plain(project),
        "id": asked.public_id, "places": found[:MOST_PLACES], "base": asked.started_in.root.rpartition("/")[2],
    }  # fmt: skip
