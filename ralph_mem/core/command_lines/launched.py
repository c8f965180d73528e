"""Tell what the words behind a program start or show, of programs that few commands call."""

IN_ENVIRONMENT = frozenset("-n --name -p --prefix --cwd".split())  # options whose value is the next word


def in_environment(words: "list[str]") -> "list[str]":
    """Return the words of the program that `conda run` starts; none of any other command of it."""
    rest = words[2:] if words[1:2] == ["run"] else []
    while rest and rest[0][:1] == "-":
        rest = rest[2:] if rest[0] in IN_ENVIRONMENT else rest[1:]
    return rest


def may_show_others(verb: str, words: "list[str]") -> bool:
    """Say of a command of git whether it names a branch or commit that may be fetched, an earlier message, or a file."""
    if verb in ("diff", "grep"):
        return any([sign in word for word in words for sign in "/0123456789"])
    if verb == "commit":
        return "--amend" in words
    return verb == "config" and any([word.startswith(("-f", "--file")) for word in words])
