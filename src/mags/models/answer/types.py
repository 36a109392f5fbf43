"""What kind of thing something is, by its last word: pancakes are eaten, a violin is played."""

from __future__ import annotations

from mags.ports.english import lemma


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


INSTRUMENTS = _set(
    """accordion banjo bass bassoon cello clarinet drum drums fiddle flute guitar harmonica harp
    horn keyboard mandolin oboe organ piano recorder saxophone sax trombone trumpet tuba ukulele
    viola violin"""
)
SPORTS = _set(
    """badminton baseball basketball bowls chess cricket darts football golf handball hockey
    lacrosse padel polo pool rugby snooker soccer softball squash tennis volleyball"""
)
FOODS = _set(
    """apple apricot asparagus aubergine avocado bacon bagel banana bean beef beetroot berry biscuit
    blueberry bread broccoli brownie bun burger burrito butter cabbage cake candy carrot casserole
    cauliflower celery cereal cheese cheesecake cherry chicken chilli chip chocolate coriander
    cookie courgette couscous crab cracker cranberry crisp croissant cucumber curry custard date
    dessert doughnut donut duck dumpling egg falafel fig fish fries fruit garlic gnocchi grape
    grapefruit ham hamburger hummus ice-cream icecream jam jelly kale kebab ketchup kimchi kiwi lamb
    lasagna lasagne leek lemon lentil lettuce liquorice lobster macaroni mackerel mango marmalade
    meat meatball melon mushroom mussel mustard noodle nut oat olive omelette onion orange oyster
    paella pancake paprika parsley pasta pastry pea peach peanut pear pepper pesto pickle pie
    pineapple pizza plum popcorn pork porridge potato prawn pretzel pudding pumpkin quiche radish
    raisin ramen raspberry ravioli rice risotto salad salami salmon sandwich sardine sausage seafood
    shrimp snack soup spaghetti spinach sprout steak stew strawberry sushi sweet taco tart toast
    tofu tomato tortilla truffle tuna turkey turnip veg vegetable waffle walnut watermelon yoghurt
    yogurt"""
)
DRINKS = _set(
    """ale beer brandy cappuccino champagne cider cocktail coffee cocoa cola espresso gin juice
    kombucha latte lemonade matcha milk milkshake prosecco rum smoothie soda tea tequila vodka water
    whiskey whisky wine"""
)
_KINDS = (
    (INSTRUMENTS, "instrument play"),
    (SPORTS, "sport game play"),
    (FOODS, "food dish eat"),
    (DRINKS, "drink"),
)


def kind_of_thing(word: str) -> str:
    """The words for what a noun in lower case, in either number, is one of; "" where unknown."""
    forms = {word, lemma(word), word.removesuffix("s"), word.removesuffix("es")}
    forms.add(f"{word.removesuffix('ies')}y" if word.endswith("ies") else word)
    return next((said for words, said in _KINDS if forms & words), "")
