"""Loose objects are held in one file, whole or not at all, and come back as git had them."""

import hashlib
import os

import pytest

from ralph_mem.ralph.git import objects

NAMES = [f"objects/{number:02x}/{'0' * 38}" for number in range(3)]


@pytest.fixture
def common(tmp_path):
    for name in NAMES:
        path = tmp_path / "git" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(hashlib.sha256(name.encode()).digest() * 50)
    return tmp_path / "git"


def keep(common, held=""):
    store, sizes = str(common.parent / "store"), {name: os.path.getsize(common / name) for name in NAMES}
    objects.keep(store, str(common), held, sizes)
    return store


def back(store, folder, names=NAMES):
    return objects.put_back(store, {name: str(folder / name) for name in names})


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_held_comes_back_byte_for_byte_and_readable_for_all(common, tmp_path):
    assert back(keep(common), tmp_path / "new") == 3
    assert contents(tmp_path / "new") == contents(common)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "new").rglob("*") if path.is_file()} == {0o444}


def test_repositories_with_the_same_objects_are_held_side_by_side(common, tmp_path):
    store = keep(common, "nested/one/")
    assert back(store, tmp_path / "new") == 0 and back(keep(common), tmp_path / "new") == 3


def test_an_object_that_git_packs_meanwhile_is_left_out_and_the_others_are_held(common, tmp_path):
    sizes = {name: os.path.getsize(common / name) for name in NAMES}
    (common / NAMES[1]).unlink()
    objects.keep(str(tmp_path / "store"), str(common), "", sizes)
    assert back(str(tmp_path / "store"), tmp_path / "new") == 2


def test_an_object_that_git_wrote_anew_with_another_size_takes_the_place_of_the_old_one(common, tmp_path):
    keep(common)
    (common / NAMES[0]).write_bytes(b"packed better")
    assert back(keep(common), tmp_path / "new") == 3 and contents(tmp_path / "new") == contents(common)


def test_keeping_that_is_cut_off_leaves_what_was_held_before(common, tmp_path, monkeypatch):
    store = keep(common)
    before = contents(common)
    (common / NAMES[0]).write_bytes(b"packed better")

    def cut_off(_common, missing):
        yield missing[0][0], 5, b"torn."
        raise OSError(5, "cut off")

    monkeypatch.setattr(objects, "_read", cut_off)
    with pytest.raises(OSError, match="cut off"):
        keep(common)
    assert back(store, tmp_path / "new") == 3 and contents(tmp_path / "new") == before


@pytest.mark.parametrize("damage", [b"", b"no database" * 500])
def test_a_database_that_is_damaged_is_made_anew(common, tmp_path, damage):
    store = keep(common)
    (tmp_path / "store" / objects.NAME).write_bytes(damage)
    assert back(keep(common), tmp_path / "new") == 3 and store


def test_what_no_run_names_any_more_is_dropped(common, tmp_path):
    store = keep(common)
    objects.sweep(store, NAMES[:1])
    assert back(store, tmp_path / "new") == 1


@pytest.mark.parametrize(
    ("path", "is_one"),
    [(NAMES[0], True), (f"modules/x/{NAMES[0]}", True), (f"objects/pack/pack-{'0' * 40}.pack", False), (f"lfs/{NAMES[0]}x", True),
     ("objects/info/alternates", False)],
)  # fmt: skip
def test_only_a_file_with_one_object_is_loose(path, is_one):
    assert objects.is_loose(path) == is_one
