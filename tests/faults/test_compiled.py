"""A disk that is full when Python keeps what it compiled: the plugin works again as soon as there is room."""

import marshal

import pytest

from tests.hook import Hook, install

# Of the larger and the smaller rooms, whose compiled forms have 1 to 25 KB; with 0 no file is begun at all.
KILOBYTES = (2, 8, 16)


def cut_short(plugin):
    """Return the compiled files that cannot be read."""
    found = []
    for path in plugin.rglob("*.pyc"):
        try:
            marshal.loads(path.read_bytes()[16:])
        except EOFError:
            found.append(path)
    return found


@pytest.mark.check
@pytest.mark.parametrize("kilobytes", KILOBYTES)
def test_compiled_files_that_a_full_disk_cut_short_are_made_anew(tmp_path, kilobytes):
    plugin = install(tmp_path / "plugin")
    hook = Hook(tmp_path / "person", plugin)
    hook.wrap = ["/bin/sh", "-c", f'ulimit -f {kilobytes * 2}; "$0" "$@"']
    hook.every_event()
    hook.wrap = []
    assert cut_short(plugin) != []
    later = hook.another()
    later.every_event()
    assert "Why does the zeppelin test fail?" in later.values("SELECT prompt FROM turns")
