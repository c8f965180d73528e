"""Keep where the plugin lies, for a status line and the command, which outlive an update of it."""

from ralph_mem.core import paths


def remember(folder: str = "") -> None:
    """Keep the folder of the plugin, by default that of this file; where it cannot be written it stays as it is."""
    home = paths.data_home()
    kept, here = f"{home}/{paths.PLUGIN}", folder or __file__.rpartition("/ralph_mem/")[0]
    if not home or here[:1] != "/" or paths.read(kept) == here + "\n":
        return
    try:
        paths.make_folder(home)
        paths.write(kept, here + "\n")
    except OSError:
        pass
