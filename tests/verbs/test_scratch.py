import pytest, posix, random
from ralph_mem import recall, layers, corrections, erasure, residue, why, moments, status, access
from ralph_mem.core import privacy, search, briefing
from ralph_mem.core import project as projects
from ralph_mem.recall import Reader, Wanted, search_for
from tests.core.conftest import Session, NOON, HOUR, DAY
from pathlib import Path

def reader(s, outside=False, **settings):
    values = dict(s.settings); values.update({k.replace("__","."):v for k,v in settings.items()})
    return Reader([s.store], s.project, values, outside)

def test_13(a_session):
    n = a_session.notes("The observations are fine")
    r = reader(a_session)
    rep = erasure.forget(r, erasure.plan(r, erasure.Selection([n])))
    print(rep.log_is_empty, rep.residue.files, erasure.told(rep))

def test_13b(a_session):
    a_session.store.execute("UPDATE sessions SET branch='fix-authentication'")
    n = a_session.notes("The authentication is fine")
    r = reader(a_session)
    rep = erasure.forget(r, erasure.plan(r, erasure.Selection([n])))
    print(rep.log_is_empty, rep.residue.files, erasure.told(rep))

def raw(project):
    return {str(p): p.read_bytes() for p in Path(project.folder).rglob("*") if p.is_file()}

WORDS = [w for w in "lamp fuse cellar ladder shelf basket violet copper engine tower river".split()]
@pytest.mark.parametrize("secure", ["VAC", "ON"])
@pytest.mark.parametrize("seed", range(6,26))
def test_fuzz(a_session, secure, seed):
    d = random.Random(seed)
    s = a_session
    s.store.execute(f"PRAGMA secure_delete={secure if secure != 'VAC' else 'OFF'}").fetchone()
    turns = []
    for n in range(40):
        def text(size):
            mark = f"zq{n:03d}xylophonicwordzz"
            out=[]
            while sum(map(len,out))<size:
                out.append(d.choice(WORDS)); 
                if d.random()<.1: out.append(f"{mark}{d.randint(0,9)}")
            return " ".join(out)
        s.asks(f"Q{n} "+text(d.choice([20,200,3000])))
        for k in range(d.randint(0,4)):
            if d.random()<.5: s.runs(f"make {text(30)}", error=f"Exit code 1\nerror: {text(d.choice([50,1500]))}")
            else: s.edits(f"src/file{n}{k}.py", text(500), text(500))
        s.is_answered(text(d.choice([50,3900])))
        turns.append(s.turns("public_id")[-1][0])
        s.store.tidy()
    r = reader(s)
    which = d.sample(range(40), 8)
    rep = erasure.forget(r, erasure.plan(r, erasure.Selection([turns[n] for n in which])))
    if secure=='VAC':
        s.store.execute('VACUUM'); print(s.store.checkpoint())
    left = {}
    for p, b in raw(s.project).items():
        for n in which:
            c = b.lower().count(f"zq{n:03d}".encode())
            c2 = b.lower().count(f"{n:03d}xylophonic".encode())
            if c or c2: left[n, p[-9:]] = (c, c2)
    print(secure, seed, rep.log_is_empty, rep.residue.files and "FILES", rep.removed, "left", left)

@pytest.mark.parametrize("text", ["lamp fuse cellar " * 200, "電球の交換をする人間" * 300, "a b c d " * 400])
def test_look_can_fail(a_session, text):
    s = a_session
    for n in range(5): s.notes(f"note {n}", "other text " * 200)
    n = s.notes("L", text)
    r = reader(s)
    row = recall.find(r, n)
    s.store.execute("PRAGMA secure_delete=OFF").fetchone()
    s.store.execute("DELETE FROM observations WHERE public_id=?", (n,))
    s.store.checkpoint()
    print([len(p) for p in residue.pieces([row])], residue.look(s.project, [s.store], [row]).files)
