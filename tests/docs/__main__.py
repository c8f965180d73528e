"""Write again what a program makes of the documentation: outputs of examples, the picture, the reference."""

import tempfile

from tests.docs import ROOT, examples, picture, reference


def main():
    demonstration = examples.demonstration()
    for story in examples.STORIES:
        with tempfile.TemporaryDirectory(prefix="ralph-mem-docs-") as folder:
            reader = examples.Reader(folder)
            for name in story:
                page = ROOT / name
                page.write_text(examples.rewritten(page.read_text(), reader, demonstration))
    picture.FILE.write_text(picture.drawn(examples.shown_demonstration()))
    for path, text in reference.pages().items():
        path.write_text(text)


if __name__ == "__main__":
    main()
