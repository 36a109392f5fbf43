"""Two pairs get to know each other over months; then a memory without a model is asked.

Every answer is the extractive one, end to end, with the shipped settings. A wrong answer is worse
than "I don't know", so both are held: what must be answered, and what must stay open.
"""

from collections.abc import Iterator

import pytest

import mags
from mags.cli.files import dialogue
from mags.memory.memory import Memory
from mags.settings import Settings

LEFT_OPEN = ("I don't know.", "I am not sure.")

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
    ("What does Lena do for a living?", ["archivist"]),
    ("How old is Emil?", ["7"]),
    ("How old is Ida?", ["4"]),
    ("How many kids does Lena have?", ["two", "2 (Emil, Ida)"]),
    ("What is Lena allergic to?", ["dogs"]),
    ("Is Lena allergic to dogs?", ["Yes"]),
    ("What is Lena's favourite food?", ["gnocchi"]),
    ("What was Lena's favourite food before?", ["risotto"]),
    ("What does Jonas hate?", ["mushrooms"]),
    ("Why is Marco vegetarian?", ["Chiara"]),
    ("Is Marco vegetarian?", ["Yes", "vegetarian"]),
    ("Who is Chiara?", ["sister", "vet", "Milan"]),
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
    ("What is Lena's mother called?", ["Renate"]),
    ("Who is Lena's brother?", ["Felix"]),
    ("Where does the sister of Marco live?", ["Milan"]),
    ("How often does Marco run?", ["Sunday"]),
    ("When may I call Marco?", ["before ten"]),
    ("Where is Jonas's workshop?", ["Via Roma"]),
    ("What kind of dog is Pepe?", ["beagle"]),
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


TALK_IN_PORTO = """\
# porto
[2024-01-02] Sara: Hey! I'm Sara, I just moved to Porto from Leeds.
[2024-01-02] Tom: Hi Sara, I'm Tom. I grew up in Porto.
[2024-01-02] Sara: I'm a software engineer at Feedzai.
[2024-01-03] Tom: I run a small bakery with my wife Inês.
[2024-01-03] Sara: I have a twin brother named Luke.
[2024-01-03] Tom: Our son Rui is three years old.
[2024-01-05] Sara: I can't eat gluten, I have coeliac disease.
[2024-01-05] Tom: We bake gluten-free bread on Fridays.
[2024-01-08] Sara: Luke works for the BBC in Manchester.
[2024-01-08] Tom: My father Joaquim was a fisherman.
[2024-01-10] Sara: My favourite book is Dune.
[2024-01-10] Tom: I prefer tea to coffee.
[2024-01-15] Sara: I adopted a kitten from the shelter. I named her Pixel.
[2024-01-15] Tom: Inês is afraid of cats.
[2024-01-20] Sara: My phone number is 555-0134.
[2024-01-20] Tom: I'll be in Lisbon next weekend.
[2024-02-01] Sara: I got promoted to team lead!
[2024-02-01] Tom: Congratulations!
[2024-02-03] Sara: Luke broke up with Hannah.
[2024-02-03] Tom: Sorry to hear that.
[2024-02-10] Tom: Inês is pregnant! The baby is due in August.
[2024-02-10] Sara: That's wonderful news!
[2024-03-01] Sara: I've started taking Portuguese lessons with Dona Rosa.
[2024-03-01] Tom: My grandmother turned 90 on Sunday.
[2024-03-05] Sara: I don't drink coffee any more.
[2024-03-05] Tom: I hurt my knee playing football.
[2024-04-01] Sara: I left Feedzai. I'm working for a startup called Nuvem now.
[2024-04-01] Tom: We are opening a second bakery in Braga in June.
[2024-04-10] Sara: Luke lives in London now, he got a job at Google.
[2024-04-10] Tom: Rui starts kindergarten in September.
[2024-05-01] Sara: My boyfriend Miguel is from Coimbra, he is an architect.
[2024-05-01] Tom: How did you meet?
[2024-05-01] Sara: We met at a climbing gym in November.
[2024-05-20] Sara: Miguel and I got engaged last Saturday!
[2024-08-12] Tom: Our daughter Clara was born on 9 August!
[2024-08-12] Sara: Welcome, Clara!
[2024-09-01] Sara: I've moved in with Miguel, we live in Gaia now.
[2024-09-01] Tom: I sold my old van and bought a Renault Kangoo.
[2024-09-10] Tom: My email is tom@example.org.
[2024-09-10] Sara: Pixel had to go to the vet.
"""

KNOWN_IN_PORTO = (
    ("Where does Sara live?", ["Gaia"]),
    ("Where did Sara live before?", ["Porto", "Leeds"]),
    ("Where did Sara move from?", ["Leeds"]),
    ("Where is Tom from?", ["Porto"]),
    ("What does Sara do?", ["engineer", "lead"]),
    ("Where does Sara work?", ["Nuvem", "startup"]),
    ("Where did Sara work before?", ["Feedzai"]),
    ("Who is Tom married to?", ["In"]),
    ("Who is Tom's wife?", ["In"]),
    ("Who is Sara's brother?", ["Luke"]),
    ("What is Sara's brother called?", ["Luke"]),
    ("Where does Sara's brother live?", ["London"]),
    ("Where does Luke work?", ["Google"]),
    ("Where did Luke work before?", ["BBC"]),
    ("How old is Rui?", ["three", "3"]),
    ("What can't Sara eat?", ["gluten"]),
    ("What is Sara's favourite book?", ["Dune"]),
    ("Does Tom prefer tea to coffee?", ["tea"]),
    ("Who is afraid of cats?", ["In"]),
    ("What is Sara's phone number?", ["555-0134"]),
    ("When will Tom be in Lisbon?", ["January", "weekend"]),
    ("Who did Luke break up with?", ["Hannah"]),
    ("Is Inês pregnant?", ["pregnant"]),
    ("When is the baby due?", ["August"]),
    ("How old is Tom's grandmother?", ["90"]),
    ("What did Tom hurt?", ["knee"]),
    ("Where is Tom opening a second bakery?", ["Braga"]),
    ("When is Tom opening a second bakery?", ["June"]),
    ("Who is Sara's boyfriend?", ["Miguel"]),
    ("Where is Miguel from?", ["Coimbra"]),
    ("What does Miguel do?", ["architect"]),
    ("When did Sara get engaged?", ["18 May", "Saturday", "May"]),
    ("Who is Sara engaged to?", ["Miguel"]),
    ("When was Clara born?", ["9 August"]),
    ("Who is Tom's daughter?", ["Clara"]),
    ("What did Tom buy?", ["Kangoo"]),
    ("What did Tom sell?", ["van"]),
    ("What is Tom's email?", ["tom@example.org"]),
    ("What was Joaquim?", ["fisherman"]),
)

OPEN_IN_PORTO = (
    "What is Tom's favourite book?",
    "What is Tom's phone number?",
    "Where was Sara born?",
    "What is Miguel's phone number?",
    "Where does Hannah live?",
    "What is Luke allergic to?",
    "Who is Luke married to?",
    "How old is Sara?",
    "Does Sara have a dog?",
)


def told(talk: str) -> Iterator[Memory]:
    """A memory that has heard a talk."""
    with mags.open(None, settings=Settings()) as opened:
        for turn in dialogue(talk, "user"):
            opened.observe(turn.text, speaker=turn.speaker, at=turn.at, session=turn.session)
        yield opened


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    yield from told(TALK)


@pytest.fixture(scope="module")
def porto() -> Iterator[Memory]:
    yield from told(TALK_IN_PORTO)


@pytest.mark.parametrize(("question", "answers"), KNOWN)
def test_what_was_told_is_answered(memory, question, answers):
    said = memory.ask(question).text
    assert any(answer in said for answer in answers), said


@pytest.mark.parametrize("question", OPEN)
def test_what_was_never_told_stays_open(memory, question):
    assert memory.ask(question).text.startswith(LEFT_OPEN)


def test_a_home_that_was_left_is_named_as_such(memory):
    said = memory.ask("Where did Felix live before?").text
    assert said.startswith("Hamburg (no longer true) \N{EM DASH} ")
    assert said.endswith(" (Lena, 16 January 2024, until 1 February 2024)")


def test_a_dislike_answers_no(memory):
    assert memory.ask("Does Jonas like mushrooms?").text.startswith("No \N{EM DASH} ")


def test_an_end_is_told_with_its_article(memory):
    assert memory.ask("Where does Marco work now?").text.startswith("a hospice \N{EM DASH} ")


def test_the_old_job_is_closed_by_the_new_one(memory):
    jobs = [
        (f.object, f.valid_to is None) for f in memory.facts("Marco") if f.relation == "works at"
    ]
    assert jobs == [("San Luca hospital", False), ("hospice", True)]


@pytest.mark.parametrize(("question", "answers"), KNOWN_IN_PORTO)
def test_what_was_told_in_porto_is_answered(porto, question, answers):
    said = porto.ask(question).text
    assert any(answer in said for answer in answers), said


@pytest.mark.parametrize("question", OPEN_IN_PORTO)
def test_what_was_never_told_in_porto_stays_open(porto, question):
    assert porto.ask(question).text.startswith(LEFT_OPEN)
