"""The one door of the hooks: `run.py EVENT`, the event on stdin, an answer or nothing on stdout, always exit 0.

Compiled anew for every event, so it is short; readable by any Python 3, so that an old one can say that it is too old.
"""

import posix
import sys

try:
    here = __file__.rpartition("/")[0] or "."
    if sys.version_info < (3, 9):
        sys.path.insert(0, here)
        import too_old as door
    else:
        # by importlib's loader of files, without its search for the one whose place is known
        file = sys.modules["_frozen_importlib_external"].SourceFileLoader("door", here + "/door.py")
        try:
            code = file.get_code("door")
        except (EOFError, ValueError, TypeError):  # a full disk cut its .pyc short
            posix.unlink(here + "/__pycache__/door." + sys.implementation.cache_tag + ".pyc")
            code = file.get_code("door")
        door = sys.modules["door"] = type(sys)("door")
        exec(code, door.__dict__)
    door.enter(here, sys.argv[1:])
except BaseException:  # a hook never disturbs the session, whatever happened
    pass
posix._exit(0)  # without closing the database: that would cost four fsyncs
