"""Planned lives: what a dialogue has to tell, drawn before its words are written.

`python -m mags_lab.talk.plan --register friends --count 5 --seed 7` prints plans. A plan names the
people, the days they talk, and on each day what is told, changes, is only wished, guessed or
rumoured, and what is talked about that is worth nothing. Values are kinds: who writes the dialogue
chooses names, places and sums that fit, so that no two dialogues share them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

SLOTS: tuple[tuple[str, str], ...] = (
    ("home (town, flat, with whom)", "moves, or the move falls through"),
    (
        "work (employer, trade, hours)",
        "new employer, promoted, laid off, second job that stays beside the first",
    ),
    ("studies or a course", "changes subject, finishes, drops out"),
    ("partner or marriage", "breaks up, gets engaged, gets together"),
    ("brother or sister with age, town or work", "that one's own change"),
    ("parent or grandparent", "falls ill, retires, recovers, dies"),
    ("child with age, school", "birthday, new school, another child"),
    ("pet with name, kind, age", "new pet beside it, ill, given away"),
    ("health: allergy, condition, injury", "diagnosed otherwise, healed, worse"),
    ("diet or drink habit", "given up, taken up again"),
    ("hobby or instrument, since when", "another one beside it, given up"),
    ("sport with a time, distance or level", "a new best, an injury, a race planned then run"),
    ("budget or price of one thing", "the sum changes; another budget for another thing stays"),
    ("income, savings or debt", "raise, paid off"),
    ("vehicle or device owned", "sold, broken, replaced, lent"),
    ("trip planned", "moved to another date, another place, done, given up"),
    ("trip done, with whom", "corrected: another year or town"),
    ("an event: wedding, concert, exam, appointment", "moved, passed, failed, called off"),
    ("a favourite (dish, band, book, place)", "another favourite now"),
    ("a dislike or fear", "got over it"),
    ("language spoken or learnt", "level changes"),
    ("neighbour, colleague, boss or friend with a detail", "that one leaves, moves, is replaced"),
    ("a thing made: garden, novel, app, quilt", "finished, started anew, shown"),
    ("a membership, club or volunteering", "left, now leads it"),
    ("a routine: day of the week, hour", "another day or hour"),
    ("a birthday or an age", "corrected, or a year later"),
    ("a project at work with a deadline", "moved, handed to somebody else, done"),
    ("a name, nickname or how one wants to be called", "corrected"),
)
TURNS: tuple[str, ...] = (
    "a hedge (might, not sure yet): nothing to be told as done",
    "a wish that is not a plan",
    "an if-clause, nothing follows from it",
    "sarcasm or a joke that states something false: no fact",
    "hearsay about somebody who has said otherwise of themself: it closes nothing",
    "a rumour about somebody absent (src: reported)",
    "a correction in the next turn (no wait, I meant ...)",
    "a correction of a typo",
    "a restatement of what was told before (act: none)",
    "a number or name added to what was told before",
    "two like things side by side that must not close one another",
    "something of a third person that resembles the speaker's own slot",
    "X does this and so does Y",
    "used to: a past that is over",
    "a denial (never learned, cannot stand, has no)",
    "an 'I' and a 'she' where it must be clear who she is",
    "a date told in relative words (last Tuesday, in three weeks, the day before yesterday)",
    "a quotation of somebody else's first person",
    "a list of items told in one turn",
    "a pasted text (recipe, mail, lyrics) with first-person sentences that are nobody's here",
    "a hypothetical asked as a question that takes something for granted",
    "somebody takes back what they told earlier as a lie or misremembered",
    "a story, game, dream or novel in which somebody is or has something: not a fact of the teller",
    "a plan carried out, told in passing",
    "an amount whose topic only the turn before gives",
    "an answer of one or two words to a question (yes / the second one / Oslo)",
)
REGISTERS: dict[str, tuple[str, int, int]] = {
    "friends": ("two friends in a messenger", 18, 30),
    "family": ("two or three of a family", 16, 28),
    "group": ("a group chat of three to five", 20, 32),
    "assistant": (
        "a user and an assistant (the user's turns tell, then ask; few assistant turns, src: tool)",
        8,
        14,
    ),
    "companion": ("a user and a companion bot, small talk over weeks", 14, 22),
    "voice": ("a voice transcript: fillers, restarts, no punctuation", 12, 20),
    "mail": ("e-mails, each a turn of several sentences", 5, 9),
    "meeting": ("notes or minutes of a meeting, a line a turn, several speakers", 12, 20),
    "agents": ("logs of agents and tools that report to one another", 10, 18),
    "letters": ("two acquaintances over a year, long gaps, dated sessions", 24, 36),
    "colleagues": ("two colleagues at lunch and in chat", 16, 26),
    "second-language": ("a speaker for whom English is a second language, and a friend", 14, 24),
}
MANNERS: tuple[str, ...] = (
    "plain and tidy",
    "lower case, no punctuation",
    "slang and abbreviations",
    "many typos",
    "long sentences with asides",
    "short clipped lines",
    "emoji and exclamation marks",
    "formal",
    "an old person, wordy",
    "a teenager",
    "dry irony",
    "warm and effusive",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialoguePlan:
    """What one dialogue tells: `days` of lines, in the order of the sessions."""

    id: str
    register: str
    setting: str
    manners: tuple[str, ...]
    turns: tuple[int, int]
    days: tuple[tuple[date, tuple[str, ...]], ...]
    questions: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"## {self.id} | {self.register}: {self.setting}; "
            f"{self.turns[0]}-{self.turns[1]} turns",
            f"   manners of the speakers: {'; '.join(self.manners)}",
        ]
        for day, told in self.days:
            lines += [f"   -- {day}", *(f"      {one}" for one in told)]
        return "\n".join([*lines, f"   questions: {'; '.join(self.questions)}"])


def plans(register: str, count: int, seed: int) -> Iterator[DialoguePlan]:
    """`count` plans of a register; the same seed gives the same plans."""
    for number in range(count):
        yield _plan(Random(f"{register} {seed} {number}"), register, f"{register}-{seed}-{number}")


def _plan(rng: Random, register: str, id: str) -> DialoguePlan:
    setting, least, most = REGISTERS[register]
    size = max(1, round(most / 9))
    sessions = rng.randint(max(1, size - 1), size + 1)
    days, day = [], date(2019, 1, 1) + timedelta(days=rng.randrange(2700))
    for _ in range(sessions):
        days.append(day)
        day += timedelta(days=rng.choice((1, 2, 4, 7, 12, 20, 45, 90)))
    told: list[list[str]] = [[] for _ in days]
    for slot, change in rng.sample(SLOTS, k=max(3, most // 5)):
        who = rng.choice("AAAB")
        first = rng.randrange(sessions)
        told[first].append(f"{who} tells: {slot}")
        if rng.random() < 0.45:
            told[rng.randrange(first, sessions)].append(
                f"{who}, later: {slot.split(' (')[0]}: one of: {change}"
            )
    for turn in rng.sample(TURNS, k=max(2, most // 8)):
        told[rng.randrange(sessions)].append(turn)
    asked = sorted(
        rng.sample(
            sorted(
                {
                    "value",
                    "when",
                    "list",
                    "count",
                    "yes/no",
                    "who",
                    "compare",
                    "since",
                    "changed",
                    "past",
                    "overview",
                    "talk",
                }
            ),
            k=max(3, most // 7),
        )
    )
    return DialoguePlan(
        id=id,
        register=register,
        setting=setting,
        manners=tuple(rng.sample(MANNERS, k=2)),
        turns=(least, most),
        days=tuple((one, tuple(lines)) for one, lines in zip(days, told, strict=True)),
        questions=(*asked, *["unanswerable"] * max(1, most // 12)),
    )


def main(arguments: Sequence[str]) -> int:
    """Print plans; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m mags_lab.talk.plan", description=__doc__)
    parser.add_argument("--register", choices=sorted(REGISTERS), required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    for plan in plans(asked.register, asked.count, asked.seed):
        sys.stdout.write(f"{plan}\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
