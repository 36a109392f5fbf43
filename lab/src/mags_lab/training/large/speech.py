"""Samples as a chat model reads them: its own chat template around the prompts that are in use.

Two wordings. `few-shot` is the prompt file that any chat model gets (`mags.models.prompts`), so an
adapter takes the place of a prompted model. `compact` is shown in few lines: a twentieth of the
tokens, which is what a trained model needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from mags.models.policy.prompted import prompt_values
from mags.models.policy.taught import compact
from mags.models.prompts import Prompt, load_prompts
from mags.ports.chat import Message
from mags_lab.training.batches import Encoded
from mags_lab.training.chains.schema import Sample
from mags_lab.training.large.wording import Wording

Said = dict[str, str]
NO_THINKING = "{%- set enable_thinking = false %}"
"""Before a template that has Qwen's switch: served anywhere, it then asks as it was taught."""
MARK = "MAGS reply"
PLAIN_TEMPLATE = (
    "{% for m in messages %}{{ m['role'] + ':\n' + m['content'] | trim + '\n' }}"
    "{% if m['role'] == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant:\n' }}{% endif %}"
)
"""For models that were never taught to chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """A tokenizer with a chat template, and which wording it is fed.

    `system`: the template takes a system message (Gemma's do not: it then opens the first turn).
    `end`: the token that ends a reply; `limit`: the most tokens of one.
    """

    tokenizer: PreTrainedTokenizerBase
    wording: Wording
    system: bool
    end: int
    limit: int = 96
    prompts: Mapping[str, Prompt] = field(default_factory=load_prompts)

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase, wording: Wording) -> Speech:
        """Find out what a tokenizer's template takes, and how it ends a turn."""
        return cls(
            tokenizer=tokenizer,
            wording=wording,
            system=_takes_system(tokenizer),
            end=_end_of_turn(tokenizer),
        )

    def messages(self, sample: Sample) -> list[Said]:
        """What the model is shown of a sample, in the form of chat templates."""
        role = sample.role.value
        if self.wording is Wording.COMPACT:
            prompt = compact(role, sample.turn, sample.recent, sample.recalled)
            return [{"role": "user", "content": prompt}]
        values = prompt_values(sample.turn, sample.recent, sample.recalled)
        return self.fitted(self.prompts[role].messages(values))

    def fitted(self, messages: Sequence[Message]) -> list[Said]:
        """Messages in the form of chat templates; a system message goes where it is taken."""
        said = [{"role": one.role, "content": one.content} for one in messages]
        if self.system or not said or said[0]["role"] != "system":
            return said
        system, first, *rest = said
        return [{"role": "user", "content": f"{system['content']}\n\n{first['content']}"}, *rest]

    def ids(self, messages: Sequence[Said]) -> tuple[int, ...]:
        """Messages as token ids, up to where the reply begins."""
        return tuple(
            self.tokenizer.apply_chat_template(
                list(messages), add_generation_prompt=True, return_dict=False
            )
        )

    def encode(self, samples: Sequence[Sample], *, longest: int) -> list[Encoded]:
        """Prompts and targets as tokens; those longer than `longest` are left out."""
        found = []
        for sample in samples:
            target = self.tokenizer(sample.target, add_special_tokens=False)["input_ids"]
            one = Encoded(prompt=self.ids(self.messages(sample)), target=(*target, self.end))
            if len(one) <= longest:
                found.append(one)
        return found


def _rendered(tokenizer: PreTrainedTokenizerBase, messages: Sequence[Said]) -> str:
    return str(tokenizer.apply_chat_template(list(messages), tokenize=False))


def _takes_system(tokenizer: PreTrainedTokenizerBase) -> bool:
    said = [{"role": "system", "content": MARK}, {"role": "user", "content": "Hello"}]
    try:
        return MARK in _rendered(tokenizer, said)
    except TemplateError:
        return False


def _end_of_turn(tokenizer: PreTrainedTokenizerBase) -> int:
    said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": MARK}]
    rest = _rendered(tokenizer, said).rpartition(MARK)[2].strip()
    ids = tokenizer(rest, add_special_tokens=False)["input_ids"] if rest else []
    return int(ids[0]) if ids and ids[0] in tokenizer.all_special_ids else tokenizer.eos_token_id
