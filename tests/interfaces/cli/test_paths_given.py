"""A file that a person names and that is not there: they are told to look at the path, and not sent elsewhere."""

import pytest


def told(person, *words):
    """Return the line of a command that has to fail, and its hint."""
    line = person.fails(*words)
    err = person.cli(*words).err
    return line, err if isinstance(err, str) else err.decode()


WRONG = {
    "not there": ("nosuch.jsonl", "No such file"),
    "in a folder that is not there": ("nosuch/shop.jsonl", "No such file"),
    "below a file": ("shop.txt/shop.jsonl", "Not a directory"),
    "a name that is too long": ("x" * 300, "too long"),
}


@pytest.mark.parametrize(("path", "why"), WRONG.values(), ids=WRONG)
def test_an_archive_that_cannot_be_opened_is_named_with_its_path(a_person, path, why):
    (a_person.project / "shop.txt").write_text("nothing")
    line, all_of_it = told(a_person, "import-archive", path)
    assert why in line and path in line
    assert "look at the path" in all_of_it and "doctor" not in all_of_it


@pytest.mark.parametrize(("folder", "why"), [("empty", "no files that can be read"), ("/", "more than 20,000 files")])
def test_a_folder_without_notes_is_no_archive(a_person, folder, why):
    (a_person.project / "empty").mkdir()
    line, all_of_it = told(a_person, "import-archive", folder)
    assert why in line and "doctor" not in all_of_it


def test_a_passphrase_file_that_is_not_there_is_named_too(a_person):
    line, all_of_it = told(a_person, "export", "--to", "shop.age", "--encrypt", "--passphrase-file", "nosuch")
    assert "nosuch" in line and "look at the path" in all_of_it


def test_a_backup_that_is_not_there_is_no_success(a_person):
    line, all_of_it = told(a_person, "restore", "/nosuch/backup.db")
    assert "there is no backup of /nosuch/backup.db" in line
    assert "doctor" not in all_of_it
