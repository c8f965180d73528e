"""restore: which backup a word means."""

import pytest

from ralph_mem.core.errors import StoreError
from ralph_mem.interfaces.cli import recovery
from ralph_mem.maintenance.recovery.backups import Backup

HOME = "/home/2026-01-31/backups"
NAMES = ("project-aaaaaaaaaa-replaced-2026-02-03T101112", "project-aaaaaaaaaa-2026-02-03", "project-aaaaaaaaaa-2026-02-02")
FOUND = [Backup(f"{HOME}/{name}.db", "project-aaaaaaaaaa", 3 - number, 1) for number, name in enumerate(NAMES)]


@pytest.mark.parametrize(
    ("which", "number"),
    [("", 1), ("2026-02-03", 1), ("2026-02-02", 2), ("2026-02-03T101112", 0), (FOUND[2].path, 2), (NAMES[0] + ".db", 0),
     ("replaced", 0)],
)  # fmt: skip
def test_a_day_a_name_and_a_path_mean_one_backup(which, number):
    assert recovery._chosen(FOUND, which) == FOUND[number]


@pytest.mark.parametrize("which", ["2026-01-31", "1", "2026", "project", "db", "/", " "])
def test_what_only_a_part_of_a_name_or_a_folder_holds_means_none(which):
    with pytest.raises(StoreError, match="there is no backup of") as error:
        recovery._chosen(FOUND, which)
    assert "--list" in error.value.hint
