"""Links between pages lead somewhere."""

import re
from pathlib import Path

import pytest

LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    missing = [to for to, _ in LINK.findall(text) if not (page.parent / to).exists()]
    assert missing == []


def test_every_page_of_the_documentation_stands_in_its_index() -> None:
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    pages = [page.relative_to(ROOT / "docs") for page in PAGES if (ROOT / "docs") in page.parents]
    unlisted = [str(p) for p in pages if p.parts[0] != "decisions" and str(p) not in index]
    assert unlisted == ["README.md"]
