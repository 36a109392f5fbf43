"""Which language a text is in; what is not English is found by other forms of its words."""

import pytest

import mags
from mags.index.tokens import foreign, language
from mags.settings import PolicySettings, Settings

TOLD = {
    "de": "Meine Katzen schlafen jeden Abend auf dem alten Sofa in der Küche.",
    "es": "Trabajo en un banco de Sevilla y mis gatos duermen en la cocina.",
    "fr": "Mes chats dorment tous les soirs sur le vieux canapé de la cuisine.",
    "no": "Kattene mine sover hver kveld på den gamle sofaen på kjøkkenet.",
}


@pytest.mark.parametrize(("name", "text"), TOLD.items())
def test_what_is_in_another_language_is_known_to_be(name: str, text: str):
    assert language(text) == name
    assert foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Oslo in May.",
        "lol same",
        "Hm.",
        "",
        "my cat sleeps on the sofa",
        "Zorbik the third rules over Klam.",
    ],
)
def test_what_is_english_or_too_short_to_tell_is_english(text: str):
    assert language(text) == "en"


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (TOLD["de"], "Wo schläft die Katze?"),
        (TOLD["es"], "¿Dónde duerme el gato?"),
        (TOLD["fr"], "Où dort mon chat ?"),
        (TOLD["no"], "Hvor sover katten?"),
    ],
)
def test_a_turn_in_another_language_is_found_by_a_question_in_it(told: str, asked: str):
    with mags.open(None, settings=Settings(policy=PolicySettings(kind="rules"))) as memory:
        memory.observe(told, speaker="Ana")
        for other in ("I like tea.", "Ben moved to Rome.", "The train was late again."):
            memory.observe(other, speaker="Ana")
        assert memory.recall(asked).hits[0].text == told
