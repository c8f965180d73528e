import random
from pathlib import Path
from ralph_mem import erasure, recall, residue
from ralph_mem.core import adoption
from ralph_mem.core.project import Project
from tests.core.conftest import Session
from .test_erasure import a_random_past, a_random_selection
def test_dbg(tmp_path):
    drawn = random.Random(74)
    project = Project(str(tmp_path))
    opened = adoption.open_ready(project)
    words = a_random_past(opened, project, drawn)
    reader = recall.Reader([opened], project, dict(Session(opened, project).settings), outside=True)
    selection, chosen = a_random_selection(opened, words, drawn)
    plans = erasure.plan(reader, selection)
    gone = [r for p in plans for r in p.rows()]
    rep = erasure.forget(reader, plans)
    print(rep.residue.files, rep.residue.rows)
    for path in residue._files(project, [opened]):
        for n in residue.pieces(gone):
            if residue._held(path, [n]): print("piece", path, repr(n)[:90], residue._rows_that_say([opened], n)); d=Path(path).read_bytes().lower(); i=d.find(n.encode()); print(i, i//4096, d[i-60:i+120])
        for n in residue.words(gone):
            if residue._held(path, [n]): print("word", path, repr(n)[:90], residue._rows_that_say([opened], n)); d=Path(path).read_bytes().lower(); i=d.find(n.encode()); print(i, i//4096, d[i-60:i+120])
