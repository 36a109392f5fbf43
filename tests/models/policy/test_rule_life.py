"""What people tell of their lives, turn by turn: jobs left, moves, relatives, comma splices."""

import pytest

from tests.models.policy.reading import POLICY, facts, turn, write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I quit the aquarium. I work at the opera house now, as a stage technician.",
            [
                ("ADD", "Alice", "worked at", "aquarium"),
                ("ADD", "Alice", "works at", "opera house"),
                ("ADD", "Alice", "works as", "stage technician"),
            ],
        ),
        (
            "I quit the aquarium.",
            [("RETRACT", "Alice", "works at", ""), ("ADD", "Alice", "worked at", "aquarium")],
        ),
        ("I quit the choir.", [("RETRACT", "Alice", "is a member of", "choir")]),
        (
            "My favourite drink is tea now, coffee makes me nervous.",
            [("ADD", "Alice", "favourite", "tea")],
        ),
        (
            "To calm Rex, play the radio quietly.",
            [("NOTE", "To calm Rex, play the radio quietly.")],
        ),
        (
            "Ana lives in Trondheim with her husband Tom.",
            [("ADD", "Ana", "is married to", "Tom"), ("ADD", "Ana", "lives in", "Trondheim")],
        ),
        (
            "I bought a blue Vespa from my uncle Carlo.",
            [("ADD", "Alice", "uncle", "Carlo"), ("ADD", "Alice", "has", "blue Vespa")],
        ),
        ("Dan found a new job.", []),
        ("I play the trumpet, badly.", [("ADD", "Alice", "plays", "trumpet")]),
        (
            "I don't live alone any more.",  # "alone" is no thing to be known
            [],
        ),
        (
            "My mother Renate is visiting us next week.",
            [("ADD", "Alice", "mother", "Renate")],
        ),
        (
            "I'm working for a startup called Nuvem now.",
            [("ADD", "Alice", "works at", "Nuvem")],
        ),
        (
            "I'm a nurse at San Luca hospital.",
            [
                ("ADD", "Alice", "works at", "San Luca hospital"),
                ("ADD", "Alice", "works as", "nurse"),
            ],
        ),
        (
            "I'm vegetarian, because of my sister Chiara.",
            [("ADD", "Alice", "sister", "Chiara"), ("ADD", "Alice", "is", "vegetarian")],
        ),
    ],
)
def test_a_turn_becomes_operations(text, expected):
    assert facts(text) == expected


def test_a_thing_keeps_its_article_in_the_sentence_alone():
    (works, _) = write("I work at the aquarium as a diver.").operations
    assert (works.object, works.text) == (
        "aquarium",
        "Alice works at the aquarium as a diver.",
    )


def test_what_is_over_is_told_without_a_double_denial():
    (meat, _) = write("I don't eat meat any more.").operations
    assert meat.text == "Alice no longer eats meat."


def test_she_is_the_sister_just_named():
    said = facts(
        "I'm vegetarian, because of my sister Chiara. She is a vet.", ("Bob", "Jonas ran.")
    )
    assert said[-1] == ("ADD", "Chiara", "works as", "vet")


def test_a_pronoun_never_gives_somebody_known_a_second_name():
    assert facts("Her name is Giulia.", ("Bob", "Petra hates cats.")) == []


class TestNotesOfPlainStatements:
    def test_a_statement_by_name_without_a_triple_is_noted(self):
        (note,) = write("Lori Werren and Kara Harrin both attended the same university.").operations
        assert note.text == "Lori Werren and Kara Harrin both attended the same university."
        assert (note.qualifiers["kind"], note.confidence) == ("statement", 0.6)

    def test_a_guess_is_believed_less(self):
        (note,) = write("Darian Turrell could be fluent in more than one language.").operations
        assert note.confidence == 0.36

    @pytest.mark.parametrize(
        "text",
        [
            "Small acts like that can really make a difference.",
            "Challenges will come, but believe in yourself and keep going.",
            "Emil Berg looks so happy in that photo!",
            "Emil Berg and I had such a wonderful time.",
            "Thanks a lot for the cake yesterday, it was wonderful.",
        ],
    )
    def test_small_talk_is_not(self, text):
        assert facts(text) == []


class TestAsking:
    @pytest.mark.parametrize(
        ("question", "hop"),
        [
            ("What is Bob's cat called?", ("Bob", "cat")),
            ("What does Lena do for a living?", ("Lena", "works as")),
            ("Where did Marco work before?", ("Marco", "works at")),
            ("What did Ida break?", ("Ida", "broke")),
            ("Where did Sara move from?", ("Sara", "lived in")),
        ],
    )
    def test_a_plain_question_is_one_hop(self, question, hop):
        (found,) = POLICY.ask(turn(question), ()).hops
        assert (found.subject, found.relation) == hop

    def test_the_past_is_searched_for_under_its_own_name(self):
        plan = POLICY.ask(turn("Where did Marco work before?"), ())
        assert plan.past
        assert "Marco worked at" in plan.queries

    @pytest.mark.parametrize(
        ("question", "start", "relations"),
        [
            (
                "What is the capital of the country where the sport coached by Louis van Gaal's "
                "employer originated?",
                "Louis van Gaal",
                None,
            ),
            (
                "In what continent did the founder of Acme pass away?",
                "Acme",
                ["was founded by", "died in", "is located in the continent of"],
            ),
            (
                "What is the capital of the country where the Dodgers head coach holds "
                "citizenship?",
                "Dodgers",
                ["head coach", "is a citizen of", "capital"],
            ),
        ],
    )
    def test_a_nested_question_is_taken_apart(self, question, start, relations):
        hops = POLICY.ask(turn(question), ()).hops
        assert hops[0].subject == start
        assert relations is None or [hop.relation for hop in hops] == relations

    @pytest.mark.parametrize("question", ["Where does Ana live?", "When was Ana in Rome in 2021?"])
    def test_the_weights_of_the_blocks_lie_between_0_and_1(self, question):
        plan, route = POLICY.ask(turn(question), ()), POLICY.route(turn(question), ())
        assert min(plan.episodic, plan.semantic, route.episodic, route.semantic) > 0
        assert max(plan.episodic, plan.semantic, route.episodic, route.semantic) == 1.0
