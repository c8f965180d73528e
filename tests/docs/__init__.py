"""The documentation: what of it is made by a program, and the tests that hold all of it to the product."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Pages that a person reads, in the order of their folders.
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
