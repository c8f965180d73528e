"""Where files lie, and that only their owner can read them."""

import os
import stat
import threading

import pytest

from ralph_mem.core import paths


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def any_umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.parametrize(
    ("variables", "config", "data"),
    [
        ({"HOME": "/home/a"}, "/home/a/.config/ralph-mem", "/home/a/.local/share/ralph-mem"),
        ({"HOME": "/home/a/"}, "/home/a/.config/ralph-mem", "/home/a/.local/share/ralph-mem"),
        ({"HOME": "/home/a", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d"}, "/c/ralph-mem", "/d/ralph-mem"),
        ({"HOME": "/a", "XDG_CONFIG_HOME": "c", "XDG_DATA_HOME": ""}, "/a/.config/ralph-mem", "/a/.local/share/ralph-mem"),
        ({"HOME": "/"}, "", ""),
        ({"HOME": "a"}, "", ""),
        ({"HOME": ""}, "", ""),
        ({"HOME": "", "XDG_DATA_HOME": "/d"}, "", "/d/ralph-mem"),
    ],
)  # fmt: skip
def test_the_homes_are_where_the_environment_says(the_environment, variables, config, data):
    the_environment(**variables)
    assert (paths.config_home(), paths.data_home()) == (config, data)


@pytest.mark.parametrize(("value", "text"), [(b"plain", "plain"), (b"\xff", "\udcff"), (b"", "")])
def test_a_variable_is_text_whatever_it_holds(the_environment, value, text):
    the_environment(SOME_NAME=value.decode("utf-8", "surrogateescape"))
    assert (paths.environment("SOME_NAME"), paths.environment("ANOTHER")) == (text, "")


def test_different_paths_have_different_keys_that_are_file_names():
    names = {
        paths.key_of(path) for path in ("/a/b", "/a-b", "/a/b/", "/" + "x" * 300 + "/a", "/" + "y" * 300 + "/a", "/ü", "/\udcff")
    }
    assert len(names) == 7
    assert all("/" not in name and len(name) < 100 and name.isascii() for name in names)


def test_a_path_has_the_key_by_which_earlier_releases_kept_its_files():
    assert paths.key_of("/home/ada/my shop_1.2") == "home-ada-my-shop-1-2-2193cab5"
    assert paths.key_of("/home/ada/müsli~") == "home-ada-m-sli-8e83abb4"


def test_a_lock_lasts_until_its_file_is_closed_and_who_waits_gets_it_then(tmp_path):
    one, other = paths.open_lock(str(tmp_path)), paths.open_lock(str(tmp_path))
    assert paths.lock(one, paths.SHARED) and paths.lock(other, paths.SHARED)
    assert not paths.lock(other) and not paths.lock(other, wait_s=0.02)
    threading.Timer(0.1, os.close, [one]).start()
    assert paths.lock(other, wait_s=20)
    os.close(other)


def test_a_folder_and_those_above_it_are_for_the_owner_alone(tmp_path, any_umask):
    paths.make_folder(f"{tmp_path}/a/b/c")
    paths.make_folder(f"{tmp_path}/a/b/c")
    assert {mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")} == {0o700}


def test_a_file_is_for_the_owner_alone(tmp_path, any_umask):
    paths.write(f"{tmp_path}/file", "text é \udcff")
    assert mode(tmp_path / "file") == 0o600
    assert (tmp_path / "file").read_bytes() == "text é ".encode() + b"\xff"


def test_a_file_that_was_for_all_becomes_the_owners(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o644)
    paths.write(f"{tmp_path}/file", "new")
    assert (mode(tmp_path / "file"), paths.read(f"{tmp_path}/file")) == (0o600, "new")


def test_writing_replaces_a_link_and_not_what_it_points_to(tmp_path):
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "file").symlink_to(tmp_path / "theirs")
    paths.write(f"{tmp_path}/file", "ours")
    assert ((tmp_path / "theirs").read_text(), (tmp_path / "file").is_symlink()) == ("theirs", False)


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "file" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="file"):
        paths.write(f"{tmp_path}/file", "text")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("file")] == ["file"]


def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(paths.posix, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/file'"):
        paths.write(f"{tmp_path}/file", "text")


def test_the_draft_of_a_killed_process_with_our_number_is_no_obstacle(tmp_path):
    (tmp_path / f"file.{os.getpid()}").write_text("half")
    paths.write(f"{tmp_path}/file", "whole")
    assert paths.read(f"{tmp_path}/file") == "whole"


def test_what_cannot_be_read_is_empty(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for name in ("fifo", "folder", "missing", "nul\0"):
        assert paths.read(f"{tmp_path}/{name}") == ""


def test_a_file_is_read_up_to_the_limit(tmp_path):
    (tmp_path / "file").write_bytes(b"a" * 100_000 + b"\xff")
    assert len(paths.read(f"{tmp_path}/file")) == 65_536
    assert paths.read(f"{tmp_path}/file", 3) == "aaa"


@pytest.mark.parametrize(
    ("name", "there"), [("file", True), ("folder", True), ("dangling", False), ("missing", False), ("nul\0", False)]
)
def test_something_exists_when_it_can_be_reached(tmp_path, name, there):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert paths.exists(f"{tmp_path}/{name}") == there


def test_removing_what_is_not_there_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    paths.remove(f"{tmp_path}/file")
    paths.remove(f"{tmp_path}/file")
    assert not (tmp_path / "file").exists()
