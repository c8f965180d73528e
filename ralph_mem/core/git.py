"""Follow a `.git` that is a file, as in a worktree or submodule. Git on the other side has to know of this folder as well."""

import posix

from ralph_mem.core import paths

BRANCH, HEADS = "ref: refs/heads/", "refs/heads/"
# Where git keeps which branch it is about that it has detached a HEAD for a while, and how long a commit's name is, which is none.
COMMIT, REBASED, BISECTED = (40, 64), ("rebase-merge/head-name", "rebase-apply/head-name"), "BISECT_START"


def follow(folder: str, git: str) -> "tuple[str, str, str]":
    """Return where a folder's HEAD lies, where its branches do, and its main worktree or bare repository, empty for none."""
    private = _pointed_at(folder, git)
    if not private:
        return git, git, ""
    shared = _text(private + "/commondir").strip()
    if not shared:  # a submodule, a git folder elsewhere, or a worktree that git has forgotten
        return private, private, _around(folder, private)
    common = absolute(private, shared)
    return private, common, _main_of(common) if _is_known_there(folder, private, common) else ""


def branches_beside(private: str, common: str) -> "list[str]":
    """Return the branches that are checked out in the worktrees of a repository, but for the one with this HEAD, or what stands
    for them (`detached`).
    """
    linked = [f"{common}/worktrees/{name}" for name in sorted(posix.listdir(common + "/worktrees"))]
    there = [folder for folder in linked if paths.exists(absolute(folder, _text(folder + "/gitdir").strip()))]
    there += [common] if common.endswith("/.git") else []  # a bare repository has a HEAD and no files
    heads = {folder: _text(folder + "/HEAD").strip() for folder in there if folder != private}
    names = [head[len(BRANCH) :] if head.startswith(BRANCH) else detached(folder, common) for folder, head in heads.items()]
    return [name for name in names if name]


def detached(private: str, common: str) -> str:
    """Return what stands for the branch of a HEAD that is on none: the one that is rebased or bisected, or a worktree's name."""
    for name in REBASED:
        branch = _text(f"{private}/{name}").strip()
        if branch.startswith(HEADS):
            return branch[len(HEADS) :]
    branch = _text(f"{private}/{BISECTED}").strip()
    its_own = f"{private.rpartition('/')[2]} (detached)" if private != common else ""
    return branch if branch and len(branch) not in COMMIT else its_own


def _pointed_at(folder: str, git: str) -> str:
    """Return the git folder that a `.git` file names, nothing where it names none."""
    pointer = _text(git)
    return absolute(folder, pointer[7:].strip()) if pointer.startswith("gitdir:") else ""


def _around(folder: str, private: str) -> str:
    """Return the repository around a worktree of it whose entry was pruned; one elsewhere cannot prove that it was one."""
    root = private.partition("/.git/worktrees/")[0]
    return root if folder.startswith(root + "/") and not paths.exists(private) and paths.exists(root + "/.git") else ""


def _is_known_there(folder: str, private: str, common: str) -> bool:
    """Say whether a repository lists a worktree at this folder, or at a place that is gone: it was moved from there."""
    listed = absolute(private, _text(private + "/gitdir").strip())
    return paths.same_place(private + "/../..", common) and (paths.same_place(listed, folder + "/.git") or not paths.exists(listed))


def _main_of(common: str) -> str:
    """Return the main worktree of a repository, the repository itself where it is bare, nothing for one inside of another."""
    above, _, name = common.rpartition("/")
    if name == ".git":
        return above
    # a submodule's git folder names its worktree; a bare repository may lie beside its worktrees, under a `.git` that leads to it
    for main in (absolute(common, _worktree_in(common)), above):
        if paths.same_place(_pointed_at(main, main + "/.git") or "/nowhere", common):
            return main
    return "" if "/.git/" in common else common


def _worktree_in(common: str) -> str:
    """Return what a repository's settings say of its main worktree, as far as it can be read without git."""
    for line in (_text(common + "/config.worktree") + "\n" + _text(common + "/config")).splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "worktree":
            return value.strip(' "')
    return ""


def _text(path: str) -> str:
    """Return a small file, in which a path may stand that is not UTF-8."""
    text = paths.read(path, 4096)
    if "\ufffd" in text:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(4096)
    return text


def absolute(folder: str, path: str) -> str:
    """Resolve `.` and `..` by name; links are left alone."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)
