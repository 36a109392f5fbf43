"""What the table of sizes counts (see scripts/size.py), on a product and a laboratory by hand."""

from pathlib import Path

import pytest

from scripts import size

FILES = {
    "src/mags/__init__.py": '"""The product."""\n',
    "src/mags/a/one.py": "from mags.b import two\n\n\nclass Step:\n    pass\n",
    "src/mags/b/two.py": "import mags.b.three  # why\n\n\nclass Step:\n    pass\n",
    "src/mags/b/three.py": "class _Step:\n    pass\n",
    "src/mags/b/rows.toml": "one = 1\n\ntwo = 2\n",
    "src/mags/b/bundle/licences.txt": "of others\n",
    "lab/src/mags_lab/play.py": "from mags.b.two import Step\n",
}


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[size.Source]:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(size, "SOURCES", [tmp_path / "src/mags", tmp_path / "lab/src/mags_lab"])
    return [size.Source(path) for path in size.files({".py"})]


def test_files_lines_and_rows_are_counted_by_package(sources: list[size.Source]):
    assert list(size.packages(sources)) == [
        ("mags", 1, 1, 0),
        ("mags.a", 1, 5, 0),
        ("mags.b", 2, 7, 2),
        ("mags_lab", 1, 1, 0),
        ("mags in all", 4, 13, 2),
        ("mags_lab in all", 1, 1, 0),
    ]


def test_who_imports_a_module_is_counted_however_it_is_imported(sources: list[size.Source]):
    assert size.importers(sources) == {"mags.b.two": 2, "mags.b.three": 1}


def test_public_classes_and_comments_are_counted(sources: list[size.Source]):
    assert size.public_classes(sources) == {"Step": 2}
    assert sum(map(size.comments, sources)) == 1


def test_a_call_is_traced_through_the_files_of_the_sources_alone(sources: list[size.Source]):
    made: dict[str, object] = {}
    for source, text in zip(
        sources[1:3], ("def f(): return g()", "def g(): return 1"), strict=True
    ):
        exec(compile(text, source.path, "exec"), made)
    assert size.traced(lambda: made["f"]()) == [sources[1].path, sources[2].path]
