"""Layouts: the ways in which projects lie on disks, each with the folder that a session starts in and where its rows belong."""

import os
import shutil
import subprocess
from collections import namedtuple
from pathlib import Path

# `start` is where the session begins, `root` the project that it belongs to, `top` where the project's files lie, if elsewhere;
# `cwd` is where the event says that the shell is by then.
Layout = namedtuple("Layout", "start root top cwd", defaults=(None, None))

LAYOUTS = {}


def layout(words):
    """Enter a function into the table of layouts, under the words that tell what it makes."""

    def enter(make):
        assert words not in LAYOUTS
        LAYOUTS[words] = make
        return make

    return enter


def git(folder, *order):
    subprocess.run(["git", "-C", folder, "-c", "protocol.file.allow=always", *order], capture_output=True, check=True, timeout=30)


class Disk:
    """A throwaway disk: everything lies below `folder`, the person's home too. Repositories are copies of one template."""

    def __init__(self, folder, home, template):
        self.folder, self.home, self.template = Path(folder), Path(home), template

    def plain(self, name):
        (self.folder / name).mkdir(parents=True)
        return self.folder / name

    def repository(self, name):
        """Make a repository with one commit on the branch `main`."""
        return Path(shutil.copytree(self.template, self.folder / name))

    def bare(self, name):
        shutil.copytree(self.template / ".git", self.folder / name)
        git(self.folder / name, "config", "core.bare", "true")
        return self.folder / name

    def worktree(self, repository, name="side"):
        """Make a linked worktree of a repository, below it where the name has no `../`."""
        place = Path(os.path.normpath(Path(repository, name)))
        git(repository, "worktree", "add", "-q", "-b", f"branch-{len(os.fsencode(place))}", place)
        return place

    def shop_with_worktree(self, name="../side"):
        """Make a repository and a linked worktree of it, beside it unless the name says otherwise; returns both."""
        shop = self.repository("shop")
        return shop, self.worktree(shop, name)

    def submodule(self):
        """Make a repository with another one in it as a submodule."""
        outer, library = self.repository("shop"), self.repository("library")
        git(outer, "submodule", "--quiet", "add", library, "vendor/library")
        return outer, outer / "vendor" / "library"


# Without git


@layout("a folder without git")
def _(disk):
    folder = disk.plain("notes")
    return Layout(folder, folder)


@layout("a folder without git in another one")
def _(disk):
    folder = disk.plain("notes/today")
    return Layout(folder, folder)


@layout("a temporary folder")
def _(disk):
    folder = disk.plain("tmp/tmp.Ab3dE9")
    return Layout(folder, folder)


@layout("a folder in which a sandbox left an empty .git")
def _(disk):
    folder = disk.plain("notes")
    (folder / ".git").mkdir()
    (folder / "today").mkdir()
    return Layout(folder / "today", folder / "today")


# A repository


@layout("a repository")
def _(disk):
    shop = disk.repository("shop")
    return Layout(shop, shop)


@layout("a folder of a repository")
def _(disk):
    shop = disk.repository("shop")
    return Layout(disk.plain("shop/src/net/http"), shop)


@layout("a folder a hundred levels down in a repository")
def _(disk):
    shop = disk.repository("shop")
    return Layout(disk.plain("shop" + "/down" * 100), shop)


@layout("a folder of a repository in which a sandbox left an empty .git")
def _(disk):
    shop = disk.repository("shop")
    disk.plain("shop/src/.git")
    return Layout(shop / "src", shop)


@layout("a folder of a repository that is gone")
def _(disk):
    shop = disk.repository("shop")
    return Layout(shop / "gone" / "deeper", shop)


@layout("a repository in another one")
def _(disk):
    disk.repository("shop")
    nested = disk.repository("shop/tools/nested")
    return Layout(nested, nested)


@layout("a folder between two repositories")
def _(disk):
    shop = disk.repository("shop")
    disk.repository("shop/tools/nested")
    return Layout(shop / "tools", shop)


@layout("a second clone")
def _(disk):
    git(disk.folder, "clone", "-q", disk.repository("shop"), "again")
    return Layout(disk.folder / "again", disk.folder / "again")


@layout("a repository whose git folder lies elsewhere")
def _(disk):
    git(disk.folder, "clone", "-q", "--separate-git-dir", disk.folder / "elsewhere", disk.repository("shop"), "again")
    return Layout(disk.folder / "again", disk.folder / "again")


# Worktrees


@layout("a worktree beside its repository")
def _(disk):
    shop, side = disk.shop_with_worktree()
    return Layout(side, shop, side)


@layout("a folder of a worktree")
def _(disk):
    shop, side = disk.shop_with_worktree()
    return Layout(disk.plain("side/src/net"), shop, side)


@layout("a worktree inside its repository")
def _(disk):
    shop, side = disk.shop_with_worktree(".claude/worktrees/side")
    return Layout(side, shop, side)


@layout("a worktree inside its repository that is gone")
def _(disk):
    shop, side = disk.shop_with_worktree(".claude/worktrees/side")
    shutil.rmtree(side)
    return Layout(side, shop)


@layout("a worktree inside its repository whose entry was pruned")
def _(disk):
    shop, side = disk.shop_with_worktree(".claude/worktrees/side")
    shutil.rmtree(shop / ".git" / "worktrees")
    return Layout(side, shop, side)


@layout("a worktree whose repository is gone")
def _(disk):
    shop, side = disk.shop_with_worktree()
    shop.rename(disk.folder / "away")
    return Layout(side, side)


@layout("a worktree that was moved by hand")
def _(disk):
    shop = disk.repository("shop")
    moved = disk.worktree(shop, "../side").rename(disk.folder / "moved")
    return Layout(moved, shop, moved)


@layout("a copy of a worktree")
def _(disk):
    copy = Path(shutil.copytree(disk.worktree(disk.repository("shop"), "../side"), disk.folder / "copy"))
    return Layout(copy, copy)


@layout("a worktree that names its repository by a relative path")
def _(disk):
    shop, side = disk.shop_with_worktree()
    (side / ".git").write_text("gitdir: ../shop/.git/worktrees/side\n")
    return Layout(side, shop, side)


@layout("a link to a worktree that names its repository by a relative path")
def _(disk):
    shop, side = disk.shop_with_worktree()
    (side / ".git").write_text("gitdir: ../shop/.git/worktrees/side\n")
    disk.plain("links/deep").joinpath("side").symlink_to(side)
    return Layout(disk.folder / "links" / "deep" / "side", shop, side)


@layout("a bare repository")
def _(disk):
    bare = disk.bare("shop.git")
    return Layout(bare, bare)


@layout("a worktree of a bare repository")
def _(disk):
    bare = disk.bare("shop.git")
    side = disk.worktree(bare, "../side")
    return Layout(side, bare, side)


@layout("a worktree of a bare repository that is called .git")
def _(disk):
    bare = disk.bare("shop/.git")
    side = disk.worktree(bare, "../side")
    return Layout(side, disk.folder / "shop", side)


@layout("the folder around a bare repository, with a .git that leads there")
def _(disk):
    disk.bare("shop/.bare")
    (disk.folder / "shop" / ".git").write_text("gitdir: ./.bare\n")
    return Layout(disk.folder / "shop", disk.folder / "shop")


@layout("a worktree beside a bare repository, with a .git around both that leads there")
def _(disk):
    bare = disk.bare("shop/.bare")
    (disk.folder / "shop" / ".git").write_text("gitdir: ./.bare\n")
    side = disk.worktree(bare, "../side")
    return Layout(side, disk.folder / "shop", side)


# Submodules


@layout("a submodule")
def _(disk):
    _, library = disk.submodule()
    return Layout(library, library)


@layout("a worktree of a submodule")
def _(disk):
    _, library = disk.submodule()
    side = disk.worktree(library, "../../../side")
    return Layout(side, library, side)


@layout("a worktree of a submodule that is gone")
def _(disk):
    _, library = disk.submodule()
    side = disk.worktree(library, "../../../side")
    shutil.rmtree(library)
    return Layout(side, side)


@layout("a submodule in a worktree")
def _(disk):
    outer, _ = disk.submodule()
    git(outer, "commit", "-q", "-m", "Take the library in")
    side = disk.worktree(outer, "../side")
    git(side, "submodule", "--quiet", "update", "--init")
    return Layout(side / "vendor" / "library", side / "vendor" / "library")


# Links


@layout("a link to a repository")
def _(disk):
    shop = disk.repository("shop")
    (disk.folder / "link").symlink_to(shop)
    return Layout(disk.folder / "link", shop)


@layout("a link in one repository to a folder of another")
def _(disk):
    disk.repository("shop")
    library = disk.repository("library")
    source = disk.plain("library/src")
    (disk.folder / "shop" / "vendored").symlink_to(source)
    return Layout(disk.folder / "shop" / "vendored", library)


@layout("a repository below a folder that is a link")
def _(disk):
    shop = disk.repository("disk2/code/shop")
    (disk.folder / "code").symlink_to(disk.folder / "disk2" / "code")
    return Layout(disk.folder / "code" / "shop", shop)


# The home


@layout("one of many repositories in a home")
def _(disk):
    for name in ("one", "two", "three"):
        disk.repository(f"home/code/{name}")
    return Layout(disk.home / "code" / "two", disk.home / "code" / "two")


@layout("a folder in a home that is a repository")
def _(disk):
    shutil.copytree(disk.template, disk.home, dirs_exist_ok=True)
    notes = disk.plain("home/notes")
    return Layout(notes, notes)


@layout("a home that is a repository")
def _(disk):
    shutil.copytree(disk.template, disk.home, dirs_exist_ok=True)
    return Layout(disk.home, disk.home)


@layout("a worktree of a home that is a repository")
def _(disk):
    shutil.copytree(disk.template, disk.home, dirs_exist_ok=True)
    side = disk.worktree(disk.home, "../side")
    return Layout(side, side)


# A session that moves


@layout("a session whose shell went to another repository")
def _(disk):
    shop = disk.repository("shop")
    return Layout(shop, shop, cwd=disk.repository("library"))


@layout("a subagent in a worktree of its own")
def _(disk):
    shop = disk.repository("shop")
    return Layout(shop, shop, cwd=disk.worktree(shop, ".claude/worktrees/agent-1"))


# Odd names


def _named(name):
    def make(disk):
        shop = disk.repository(os.fsdecode(name))
        side = disk.worktree(shop, "../side")
        return Layout(side, shop, side)

    return make


NAMES = {
    "with spaces": b"my  shop",
    "with quotes": b"it's \"the\" shop's",
    "with a line break": b"shop\nand more",
    "with an emoji": "shop 🛒 店".encode(),
    "that is no UTF-8": b"caf\xe9 \xff",
    "with signs that mean something to SQLite and to a shell": b"50% #1?mode=ro;$(touch x)",
}
for words, name in NAMES.items():
    layout(f"a worktree of a repository {words}")(_named(name))


# A `.git` that lies


@layout("a .git file that leads nowhere")
def _(disk):
    folder = disk.plain("shop")
    (folder / ".git").write_text("gitdir: /nowhere/at/all\n")
    return Layout(folder, folder)


@layout("a .git file that leads into a worktree of somebody else's")
def _(disk):
    disk.worktree(disk.repository("library"), "../side")
    folder = disk.plain("shop")
    (folder / ".git").write_text(f"gitdir: {disk.folder}/library/.git/worktrees/side\n")
    return Layout(folder, folder)


@layout("a git folder that claims to belong to somebody else's repository")
def _(disk):
    library, folder = disk.repository("library"), disk.plain("shop")
    disk.plain("shop/own")
    (folder / ".git").write_text("gitdir: own\n")
    (folder / "own" / "commondir").write_text(f"{library}/.git\n")
    (folder / "own" / "gitdir").write_text(f"{folder}/.git\n")
    return Layout(folder, folder)


@layout("a worktree whose repository claims that somebody else's is its main one")
def _(disk):
    library, bare = disk.repository("library"), disk.bare("shop.git")
    git(bare, "config", "core.worktree", str(library))
    side = disk.worktree(bare, "../side")
    return Layout(side, bare, side)


@layout("a pruned worktree that claims to belong to somebody else's repository")
def _(disk):
    disk.repository("library")
    folder = disk.plain("shop")
    (folder / ".git").write_text(f"gitdir: {disk.folder}/library/.git/worktrees/side\n")
    return Layout(folder, folder)
