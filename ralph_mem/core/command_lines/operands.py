"""Tell which of the words behind a program are files, by a table of its options."""

# Options of one letter whose next word is no file, but a number, a sign, a name or a script.
VALUED = {
    "head": "nc", "tail": "ncs", "bat": "lHr", "sort": "ktSTo", "uniq": "fsw", "cut": "bcdf", "column": "cos", "nl": "bdfhilnsvw",
    "grep": "emABCDd", "egrep": "emABCDd", "fgrep": "emABCDd", "rg": "eABCgtTmMjrEd", "ag": "ABCmG", "ack": "ABCm", "fd": "edtE",
    "sed": "el", "awk": "Fve", "gawk": "Fve", "mawk": "Fv", "perl": "eEIMm", "jq": "L", "yq": "opI", "diff": "CUWIxXF", "cmp": "in",
    "join": "12jtaveo", "paste": "d", "tac": "s", "od": "AjNtwS", "xxd": "lscgo", "hexdump": "nse", "strings": "net", "tar": "CI",
    "unzip": "dPx", "zip": "ix", "iconv": "fto", "fold": "w", "fmt": "w", "pr": "lwhos", "csvcut": "cdq", "csvlook": "dq",
    "xsv": "sdo", "htmlq": "arto", "pup": "i", "pandoc": "ftomV", "pdftotext": "flxyWHr", "less": "px",
}  # fmt: skip
# Programs whose first operand is a pattern or a script, and which options give that in its place; behind `f` it is a file.
SCRIPTED = {
    "grep": "ef", "egrep": "ef", "fgrep": "ef", "rg": "ef", "ag": "", "ack": "", "sed": "ef", "awk": "f", "gawk": "ef", "mawk": "f",
    "perl": "eE", "jq": "f", "yq": "", "tr": "",
}  # fmt: skip
# What stands in a script that runs a program, or reads what no word of the line names.
RUNS = {
    **dict.fromkeys(("awk", "gawk", "mawk"), ("system", "getline", '| "', '|"', "|&")),
    "perl": ("system", "exec", "qx", "`", "open", "eval", "require", "use ", 'do "', "do '"),
    "yq": ("load",),
}
PLACES = "0123456789,$!~+ "  # of lines, before a command of sed
LONG = {"--regexp": "e", "--expression": "e", "--file": "f", "--from-file": "f"}


def parted(name: str, words: "list[str]") -> "tuple[list[str], list[str]]":
    """Return of what stands behind a program its scripts or patterns, and its files."""
    gives = SCRIPTED.get(name, "")
    letters = VALUED.get(name, "") + gives
    scripts: list[str] = []
    files: list[str] = []
    waiting, is_given = "", False
    for word in words:
        letter, value = (waiting, word) if waiting else _option(word, letters)
        waiting = "" if value or waiting else letter
        if not letter:
            files += [word] if word[:1] != "-" else []
        elif value and letter in gives:
            (files if letter == "f" else scripts).append(value)
            is_given = True
    return (scripts, files) if is_given or name not in SCRIPTED else (files[:1], files[1:])


def _option(word: str, letters: str) -> "tuple[str, str]":
    """Return of an option the letter that takes a value, and the value where it stands in the same word."""
    if word[:2] == "--":
        name, _, value = word.partition("=")
        return (LONG[name], value) if LONG.get(name, "-") in letters else ("", "")
    at = next((at for at, letter in enumerate(word) if at and letter in letters), 0) if word[:1] == "-" else 0
    return (word[at], word[at + 1 :]) if at else ("", "")


def is_filter(words: "list[str]") -> bool:
    """Say whether perl goes through the lines of files, as by `-n` and `-p`, and loads no module."""
    bundles = [word for word in words if word[:1] == "-" and word[1:2] not in ("-", "")]
    return any(["n" in word or "p" in word for word in bundles]) and not any([word[1] in "Mm" for word in bundles])


def runs_more(name: str, scripts: "list[str]") -> bool:
    """Say whether a script has its program run another one, or read what no word of the line names."""
    if name == "sed":
        return any([_is_of_sed(each.strip()) for each in "\n".join(scripts).replace(";", "\n").replace("{", "\n").splitlines()])
    return any([sign in script for script in scripts for sign in RUNS.get(name, ())])


def _is_of_sed(command: str) -> bool:
    """Say of one command of sed whether it is `e`, `r` or `R`, or has the flag `e`."""
    rest = command.lstrip(PLACES)
    while rest[:1] == "/" and rest.count("/") > 1:
        rest = rest[1:].partition("/")[2].lstrip(PLACES + "I")
    return rest[:1] in ("e", "r", "R") or (rest[:1] == "s" and rest[1:2] != "" and "e" in rest.rpartition(rest[1])[2])
