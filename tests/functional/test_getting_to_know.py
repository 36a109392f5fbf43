"""Two people get to know each other over half a year; then a memory without a model is asked.

Every answer is the extractive one, end to end, with the shipped settings. A wrong answer is worse
than "I don't know", so both are held: what must be answered, and what must stay open.
"""

from collections.abc import Iterator

import pytest

import mags
from mags.cli.formats import dialogue
from mags.memory.memory import Memory
from mags.models.answer.extractive import UNKNOWN
from mags.settings import Settings

TALK = """\
# january
[2024-01-08] Lena: Hi, I'm Lena. I'm new here, I moved from Hamburg to Turin in December.
[2024-01-08] Marco: Welcome! I'm Marco. I was born in Naples but I've lived in Turin since 2011.
[2024-01-08] Lena: I work at the city library as an archivist.
[2024-01-08] Marco: I'm a nurse at San Luca hospital. Night shifts, mostly.
[2024-01-09] Lena: My husband Jonas is a luthier. He makes violins.
[2024-01-09] Marco: How nice. I play the trumpet, badly.
[2024-01-10] Lena: We have two kids, Emil and Ida. Emil is 7 and Ida is 4.
[2024-01-10] Marco: I have a dog called Pepe, he's a beagle.
[2024-01-11] Lena: I'm allergic to dogs, unfortunately.
[2024-01-11] Marco: Oh no! No dogs at your place then.
[2024-01-15] Lena: My favourite food is risotto. Jonas hates mushrooms though.
[2024-01-15] Marco: I'm vegetarian, because of my sister Chiara. She is a vet in Milan.
[2024-01-16] Marco: Chiara lives in Milan with her girlfriend Sofia.
[2024-01-16] Lena: My brother Felix lives in Hamburg. He drives a taxi.
[2024-01-18] Lena: It's raining cats and dogs today.
[2024-01-18] Marco: Haha, typical.
# february
[2024-02-02] Marco: I started learning German last week.
[2024-02-02] Lena: Great! I speak German, English and a little Italian.
[2024-02-05] Lena: Ida broke her arm on Saturday. She fell off the swing.
[2024-02-05] Marco: Poor thing! Give her a hug.
[2024-02-08] Marco: My birthday is on 3 March.
[2024-02-08] Lena: Mine is in October, on the 12th.
[2024-02-12] Lena: Jonas opened his own workshop in Via Roma.
[2024-02-12] Marco: Congratulations to Jonas!
[2024-02-14] Marco: I bought a blue Vespa from my uncle Carlo.
[2024-02-14] Lena: Be careful on that thing.
[2024-02-20] Lena: I'm reading "The Leopard" right now.
[2024-02-20] Marco: I've never been to Sicily, can you believe it?
[2024-02-22] Lena: To open the library's back door, turn the key twice.
[2024-02-22] Marco: Good to know.
# march
[2024-03-04] Lena: How was your birthday? Did you get presents?
[2024-03-04] Marco: It was great. My mother gave me a new trumpet.
[2024-03-07] Marco: I quit the hospital. I work at a hospice now, as head nurse.
[2024-03-07] Lena: Wow, that's a big change.
[2024-03-11] Lena: Emil wants to learn the cello.
[2024-03-12] Marco: Chiara told me that Sofia got a job at Ferrero.
[2024-03-15] Lena: Felix moved to Berlin last month.
[2024-03-15] Marco: Is he still driving a taxi?
[2024-03-15] Lena: No, he works as a bus driver now.
[2024-03-19] Marco: Pepe ate my left shoe.
[2024-03-22] Lena: We're going to Sardinia in August.
[2024-03-22] Marco: I'm planning to visit Hamburg in June.
# may
[2024-05-03] Lena: My favourite food is gnocchi now, risotto makes me sleepy.
[2024-05-03] Marco: Blasphemy.
[2024-05-06] Marco: I sold the Vespa. I bought a bicycle instead.
[2024-05-06] Lena: Because of the price of petrol?
[2024-05-06] Marco: No, because I had an accident.
[2024-05-10] Lena: Ida's teacher is called Signora Bianchi.
[2024-05-13] Marco: Chiara and Sofia got married on 11 May!
[2024-05-13] Lena: How wonderful!
[2024-05-16] Lena: Jonas stopped smoking.
[2024-05-16] Marco: Good for him. I run ten kilometres every Sunday.
# july
[2024-07-01] Lena: We moved to a house in Moncalieri. It has a garden.
[2024-07-01] Marco: So you have left Turin! I'm jealous.
[2024-07-04] Lena: We adopted a cat, her name is Minou.
[2024-07-04] Marco: Pepe hates cats.
[2024-07-08] Marco: I'm seeing someone. Her name is Giulia, she is a lawyer.
[2024-07-08] Lena: Tell me everything!
[2024-07-10] Lena: My mother Renate is visiting us next week.
[2024-07-10] Marco: Please never call me before ten in the morning.
"""

KNOWN = (
    ("Who is Lena married to?", ["Jonas"]),
    ("What is Marco's dog called?", ["Pepe"]),
    ("What is the name of Marco's dog?", ["Pepe"]),
    ("Where does Lena live?", ["Moncalieri"]),
    ("Where did Lena live before?", ["Turin", "Hamburg"]),
    ("Where was Marco born?", ["Naples"]),
    ("Since when has Marco lived in Turin?", ["2011"]),
    ("Where does Lena work?", ["library"]),
    ("Where does Marco work now?", ["hospice"]),
    ("Where did Marco work before?", ["San Luca", "hospital"]),
    ("What does Jonas do?", ["luthier"]),
    ("What does Lena do for a living?", ["archivist"]),
    ("How old is Emil?", ["7"]),
    ("How old is Ida?", ["4"]),
    ("How many kids does Lena have?", ["two"]),
    ("What is Lena allergic to?", ["dogs"]),
    ("Is Lena allergic to dogs?", ["Yes"]),
    ("What is Lena's favourite food?", ["gnocchi"]),
    ("What was Lena's favourite food before?", ["risotto"]),
    ("What does Jonas hate?", ["mushrooms"]),
    ("Why is Marco vegetarian?", ["Chiara"]),
    ("Is Marco vegetarian?", ["Yes", "vegetarian"]),
    ("Who is Chiara?", ["sister", "vet"]),
    ("Where does Chiara live?", ["Milan"]),
    ("Who is Chiara married to?", ["Sofia"]),
    ("When did Chiara get married?", ["11 May"]),
    ("Where does Felix live?", ["Berlin"]),
    ("Where did Felix live before?", ["Hamburg"]),
    ("Where does Lena's brother live?", ["Berlin"]),
    ("What does Felix do?", ["bus driver"]),
    ("Which languages does Lena speak?", ["German", "English"]),
    ("What instrument does Marco play?", ["trumpet"]),
    ("Who plays the trumpet?", ["Marco"]),
    ("When is Marco's birthday?", ["3 March"]),
    ("Who broke her arm?", ["Ida"]),
    ("What did Ida break?", ["arm"]),
    ("What did Marco buy from his uncle?", ["Vespa"]),
    ("Who is Marco's uncle?", ["Carlo"]),
    ("What did Marco sell?", ["Vespa"]),
    ("What is Lena reading?", ["Leopard"]),
    ("How do you open the back door of the library?", ["twice"]),
    ("Who gave Marco a trumpet?", ["mother"]),
    ("Who quit the hospital?", ["Marco"]),
    ("What does Emil want to learn?", ["cello"]),
    ("Where does Sofia work?", ["Ferrero"]),
    ("When is Marco planning to visit Hamburg?", ["June"]),
    ("Where is Lena going in August?", ["Sardinia"]),
    ("Who is Ida's teacher?", ["Bianchi"]),
    ("What is Ida's teacher called?", ["Bianchi"]),
    ("What is Lena's cat called?", ["Minou"]),
    ("What does Pepe hate?", ["cats"]),
    ("Who is Marco dating?", ["Giulia"]),
    ("What does Giulia do?", ["lawyer"]),
    ("What is Lena's mother called?", ["Renate"]),
    ("Who is Lena's brother?", ["Felix"]),
    ("Where does the sister of Marco live?", ["Milan"]),
    ("How often does Marco run?", ["Sunday"]),
    ("When may I call Marco?", ["before ten"]),
    ("Where is Jonas's workshop?", ["Via Roma"]),
    ("What kind of dog is Pepe?", ["beagle"]),
    ("Who is a lawyer?", ["Giulia"]),
    ("Who lives in Berlin?", ["Felix"]),
    ("Who lives in Milan?", ["Chiara"]),
    ("What did Pepe eat?", ["shoe"]),
)

OPEN = (
    "What car does Marco drive?",
    "Where does Giulia live?",
    "When is Jonas's birthday?",
    "Who is Felix married to?",
    "What is Marco allergic to?",
    "How old is Marco?",
    "Where was Lena born?",
    "What does Ida want to learn?",
    "What is Jonas's favourite food?",
    "Does Giulia have a dog?",
    "When is Lena's birthday?",
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with mags.open(None, settings=Settings()) as opened:
        for turn in dialogue(TALK, "user"):
            opened.observe(turn.text, speaker=turn.speaker, at=turn.at, session=turn.session)
        yield opened


@pytest.mark.parametrize(("question", "answers"), KNOWN)
def test_what_was_told_is_answered(memory, question, answers):
    said = memory.ask(question).text
    assert any(answer in said for answer in answers), said


@pytest.mark.parametrize("question", OPEN)
def test_what_was_never_told_stays_open(memory, question):
    assert memory.ask(question).text == UNKNOWN


def test_a_home_that_was_left_is_named_as_such(memory):
    said = memory.ask("Where did Felix live before?").text
    assert said.startswith("Hamburg (no longer true) \N{EM DASH} ")
    assert said.endswith(" (16 January 2024, until 1 February 2024)")


def test_a_dislike_answers_no(memory):
    assert memory.ask("Does Jonas like mushrooms?").text.startswith("No \N{EM DASH} ")


def test_an_end_is_told_with_its_article(memory):
    assert memory.ask("Where does Marco work now?").text.startswith("a hospice \N{EM DASH} ")


def test_the_old_job_is_closed_by_the_new_one(memory):
    jobs = [
        (f.object, f.valid_to is None) for f in memory.facts("Marco") if f.relation == "works at"
    ]
    assert jobs == [("San Luca hospital", False), ("hospice", True)]
