"""The page as files: the same views, redacted, in a folder that only its owner reads and no repository takes along."""

import re
import stat
import subprocess

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.page import site
from ralph_mem.maintenance.forget import inventory, verify
from tests.readers import note

QUOTED = 'Ada\'s ladder is "below" the basalt & the zinc'


@pytest.fixture
def a_site(a_person, tmp_path):
    """Write the memory of a person with a note, in which a secret stands that today's rules find."""
    a_person.note = note(a_person.session, "Releases go out with make ship.")
    a_person.session.store.execute(
        "UPDATE observations SET content = 'password: hunter2-Xk92ja01' WHERE public_id = ?", (a_person.note,)
    )
    note(a_person.session, QUOTED)
    site.write(a_person.session.project, str(tmp_path / "site"))
    return tmp_path / "site"


def test_every_link_leads_to_a_file_of_it_and_no_form_is_left(a_site):
    pages = {path.name: path.read_text() for path in a_site.glob("*.html")}
    links = {(name, link) for name, page in pages.items() for link in re.findall(r'(?:href|src|action)="([^"#]*)"', page)}
    there = {path.name for path in a_site.iterdir()}
    assert not [pair for pair in links if pair[1] not in there]
    assert not [name for name, page in pages.items() if "<form" in page or "<script" in page]
    assert {"index.html", "today.html", "sessions.html", "facts.html", "health.html"} < there


def test_it_tells_what_is_remembered_and_no_secret(a_site):
    told = "".join(path.read_text() for path in a_site.glob("*.html"))
    assert "behind the zinc gate" in told
    assert "hunter2" not in told


def test_only_its_owner_reads_it(a_site):
    assert stat.S_IMODE(a_site.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in a_site.iterdir()} == {0o600}


def test_it_is_an_export_of_which_a_forget_and_an_uninstall_tell(a_site):
    def naming(text):
        return inventory.exports(verify.Needles([text], [], [], text))

    assert naming(QUOTED.lower()) == inventory.listed_exports() == [str(a_site)]
    assert naming("no page says that, none does") == []


def test_a_folder_with_something_in_it_a_link_and_a_repository_are_refused(a_person, tmp_path):
    full, link, repository = tmp_path / "full", tmp_path / "link", tmp_path / "repository"
    (full / "kept").mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")
    subprocess.run(["git", "init", "-q", repository], check=True)
    for folder in (full, full / "kept" / "no" / "way", link, repository / "site"):
        with pytest.raises(RalphMemError):
            site.write(a_person.session.project, str(folder))
    assert sorted(path.name for path in tmp_path.iterdir() if path.name in ("site", "elsewhere")) == []
