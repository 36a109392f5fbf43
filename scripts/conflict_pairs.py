"""Pairs of sentences that are both true: what the conflict rule must never close.

Written for MAGS. Every frame takes several objects, and people have several of them. Frames
of `TRAIN` are trained on, those of `HELD_OUT` only measured.
"""

from __future__ import annotations

from collections.abc import Iterator

PEOPLE = ("Ana Ruiz", "Tom Becker", "Mira Novak", "Ana", "Tom", "user")

TRAIN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("{} likes {}.", ("tea", "coffee", "green tea", "hiking", "jazz", "old films", "pottery")),
    ("{} loves {}.", ("dogs", "cats", "mountain lakes", "cooking for friends", "the sea")),
    (
        "{} enjoys {} in the free time.",
        ("painting landscapes", "playing chess", "hiking", "baking bread", "reading novels"),
    ),
    (
        "{} enjoys {} on weekends.",
        ("long walks in the forest", "board games with friends", "cycling", "open-air concerts"),
    ),
    ("{} has visited {}.", ("Paris", "Rome", "New York", "the Louvre", "Lisbon and Porto")),
    ("{} went to {} last summer.", ("Greece", "a music festival", "Norway", "the coast")),
    ("{} went to a concert in {}.", ("May", "June", "Oslo", "Berlin")),
    ("{} owns {}.", ("a bicycle", "a canoe", "two guitars", "a small house by the lake")),
    ("{} has {}.", ("a dog named Rex", "a cat named Tom", "three cousins", "a red bicycle")),
    ("{} has read {}.", ("Dune", "Emma", "a book about bees", "The Magic Mountain")),
    ("{} is reading a book about {}.", ("bees", "the Roman Empire", "baking", "black holes")),
    ("{} speaks {}.", ("French", "German", "Spanish", "a little Dutch")),
    ("{} is fluent in {}.", ("French", "Italian", "Portuguese")),
    ("{} plays {}.", ("the piano", "football", "the cello", "tennis on Mondays")),
    ("{} is learning {}.", ("Spanish", "to sail", "the ukulele", "calligraphy")),
    ("{} is friends with {}.", ("Bob", "Carla", "Ivan Petrov", "Ines")),
    ("{} met {} at a conference.", ("Bob", "Carla", "Ivan Petrov", "a designer from Oslo")),
    ("{} works with {} on the garden project.", ("Bob", "Carla", "Ivan Petrov")),
    ("{} works with Bob on {}.", ("the garden project", "a website", "a film about rivers")),
    ("{} bought {} yesterday.", ("new running shoes", "a lamp", "two tickets", "a used car")),
    ("{} painted {} last week.", ("a sunset", "a lake", "a portrait of a friend")),
    ("{} wrote an article about {}.", ("city trees", "bees", "old trains", "tax law")),
    ("{} published a paper on {}.", ("glacier melt", "soil bacteria", "ocean currents")),
    ("{} won {}.", ("a chess tournament in 2019", "a photo prize in 2021", "a race in March")),
    (
        "{} received an award for {}.",
        ("research on renewable energy in 2018", "teaching in 2021", "a film about rivers"),
    ),
    ("{} volunteers at {}.", ("the animal shelter", "the library", "a soup kitchen")),
    ("{} has a background in {}.", ("biology", "music", "graphic design")),
    ("{} has presented at {}.", ("a design conference", "a school in Oslo", "a fair in Rome")),
    ("{} wants to {}.", ("learn to surf", "see the northern lights", "change the kitchen")),
    ("{}'s sister is {}.", ("Eva", "Ida", "Sofie")),
    ("{}'s friend is {}.", ("Bob", "Carla", "Ivan Petrov")),
    ("{} is allergic to {}.", ("peanuts", "cats", "pollen")),
    ("{} watched {} with friends.", ("a film about whales", "the final", "an old western")),
    ("{} collaborated with Bob on {}.", ("a documentary", "a podcast", "a photo book")),
    ("{} collaborated with {} on a short film.", ("Bob", "Carla", "Ivan Petrov")),
    ("{} helped {} move house.", ("Bob", "Carla", "a neighbour")),
    ("{} is a member of {}.", ("a book club", "the chess society", "a rowing club")),
    ("{} cooked {} for dinner.", ("lentil soup", "fish with rice", "a mushroom pie")),
    ("{} takes part in {}.", ("a trivia night", "a hiking club", "a choir")),
    ("{} is interested in {}.", ("astronomy", "old maps", "bread baking")),
    ("{} is passionate about {}.", ("city gardens", "fair trade", "typography")),
    ("{} has a meeting with {} on Monday.", ("Bob", "the bank", "a client from Rome")),
    ("{} teaches {} at the community centre.", ("yoga", "Spanish to beginners", "drawing")),
    ("{} gave a talk about {} at the university.", ("bees", "city planning", "poetry")),
    ("{} organised a charity event for {}.", ("the school", "refugees", "the hospital")),
)
"""Frames and what fills them: two fillings of one frame are true together."""

HELD_OUT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("{} collects {}.", ("stamps", "vinyl records", "sea shells", "old cameras")),
    ("{} has travelled to {}.", ("Japan", "Peru", "South Africa", "Iceland in winter")),
    ("{} often goes {}.", ("swimming in the lake", "climbing", "dancing with friends")),
    ("{} planted {} in the garden.", ("tomatoes", "roses", "an apple tree")),
    ("{} runs a workshop on {}.", ("clay pots", "street photography", "bread")),
    ("{} dreams of {}.", ("sailing round the world", "a house in the hills")),
    ("{} ordered {} at the restaurant.", ("the soup", "grilled fish", "a chocolate cake")),
    ("{} talked to {} about the trip.", ("Bob", "Carla", "the travel agent")),
    ("{} has photographed {}.", ("eagles in Alaska", "street markets in Hanoi", "old harbours")),
    ("{}'s hobby is {}.", ("pottery", "model trains", "bird watching")),
    ("{} supports {}.", ("the local theatre", "a whale charity", "Arsenal")),
    ("{} is good at {}.", ("chess", "drawing horses", "listening")),
    ("{} sang in {}.", ("the school choir", "a musical in Berlin", "a jazz band")),
    ("{} took a photo of {}.", ("a fox", "the old bridge", "the children at the beach")),
    ("{} knows {}.", ("Bob", "Carla", "a pilot", "the mayor")),
    ("{} fixed {} in the workshop.", ("a clock", "the old radio", "a neighbour's bicycle")),
    ("{} moderates a discussion on {} every autumn.", ("music", "trade", "public health")),
    ("{} and Bob explored {} together.", ("a cave in Slovenia", "the harbour", "an old mine")),
    ("{} translated {} into English.", ("a novel by Undset", "two poems", "a Danish play")),
    ("{} donated {} to the museum.", ("a painting", "old letters", "a ship's bell")),
    ("{} trained for {} with Carla.", ("a triathlon", "the city run", "a swim in the bay")),
    ("{} repaired the roof with {}.", ("Bob", "Carla", "two friends from work")),
    ("{} recommended {} to the reading group.", ("Middlemarch", "a thriller", "The Trial")),
)

ADDITIONS: tuple[tuple[str, str], ...] = (
    ("Ana likes tea.", "Ana likes green tea in the morning."),
    ("Ana plays the piano.", "Ana also plays the cello."),
    ("Ana speaks French.", "Ana speaks French and a little Dutch."),
    ("Tom has a dog.", "Tom has a dog named Rex."),
    ("Tom has a dog named Rex.", "Tom took Rex to the vet."),
    ("Mira works as a nurse.", "Mira works as a nurse at the children's hospital."),
    ("Mira is planning a trip to Peru.", "Mira booked a flight to Peru."),
    ("Mira is planning a trip to Peru.", "Mira is planning a birthday party for Tom."),
    ("Tom painted the kitchen.", "Tom painted the living room too."),
    ("Ana and Tom met in Oslo.", "Ana and Tom had dinner in Rome."),
    ("Ana and Tom went to the theatre.", "Ana and Mira went to the theatre."),
    ("Ana ran a marathon in 2019.", "Ana ran a marathon in 2021."),
    ("Tom does not like fish.", "Tom does not like mushrooms."),
    ("Tom has never been to Asia.", "Tom has never been to Peru."),
    ("Ana enjoys hiking.", "Tom enjoys hiking."),
    ("Ana enjoys hiking with Tom.", "Tom enjoys hiking with Ana and Mira."),
    ("Ana started a new painting.", "Ana finished her painting of the lake."),
    ("Mira adopted a cat.", "Mira adopted a second cat."),
    ("Tom is taking a course in statistics.", "Tom is taking a course in French cooking."),
    ("Ana is a published author.", "Ana is a keen gardener."),
    ("Tom is a photographer.", "Tom is a father of two."),
)
"""Old and new sentences, both true: more detail, one more of the kind, another person."""


def fillings(
    frames: tuple[tuple[str, tuple[str, ...]], ...], people: tuple[str, ...] = PEOPLE
) -> Iterator[tuple[str, str]]:
    """Yield (old, new) for every ordered pair of fillings of a frame, the person in turn."""
    turn = 0
    for frame, objects in frames:
        for old in objects:
            for new in objects:
                if old == new:
                    continue
                person = people[turn % len(people)]
                turn += 1
                yield _fill(frame, person, old), _fill(frame, person, new)


def _fill(frame: str, person: str, thing: str) -> str:
    text = frame.replace("{}", person, 1).replace("{}", thing, 1)
    return text[0].upper() + text[1:] if person != "user" else text
