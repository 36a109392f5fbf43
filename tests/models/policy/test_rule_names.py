import pytest

from mags.models.policy.rules.tokens import mentions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Rylan Gallaher attended Stanford University, while Jonn Coal attended the "
            "University of Oregon.",
            ("Rylan Gallaher", "Stanford University", "Jonn Coal", "University of Oregon"),
        ),
        ("Thanks, Caroline! The event was really cool.", ("Caroline",)),
        ("We met Dr. Lee of AT&T in New York on Friday.", ("Dr. Lee of AT&T", "New York")),
        ("My sister Ana lives in Rio de Janeiro.", ("Ana", "Rio de Janeiro")),
        ("Pottery is fun. Maybe I will try it in May.", ()),
        ('I read "The Great Gatsby" twice.', ("The Great Gatsby",)),
    ],
)
def test_names_are_told_from_words_that_start_a_sentence(text, names):
    assert mentions(text) == names
