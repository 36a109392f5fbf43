"""An adapted model evaluated as it trains (`mags_lab.training.evaluate`)."""

from __future__ import annotations

from mags_lab.training.chains.schema import Sample
from mags_lab.training.evaluate.voices import VoiceDecider
from mags_lab.training.experience import Voice
from mags_lab.training.large.adapters import Adapted
from mags_lab.training.rollout import Sampling


class AdaptedDecider(VoiceDecider):
    """Decides by an adapted model, asked through its chat template."""

    def __init__(self, adapted: Adapted, *, name: str, batch: int = 32, timed: int = 20) -> None:
        speech = adapted.loaded.speech
        pad = int(adapted.loaded.tokenizer.pad_token_id)
        how = Sampling(pad=pad, end=speech.end, limit=speech.limit)
        voice = Voice(model=adapted.model, tokenizer=speech.tokenizer, sampling=how)
        super().__init__(voice, name=name, batch=batch, timed=timed)
        self._speech = speech

    def _ids(self, sample: Sample) -> tuple[int, ...]:
        return self._speech.ids(self._speech.messages(sample))
