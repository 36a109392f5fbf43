import { computed, effect, signal } from "@preact/signals";

import type { Dot } from "../api";
import { asOf, past, picture, recordedAsOf, stats } from "../state";

const DAY = 86_400;
const MINUTE = 60;
const STEPS = 1000;

/** When something changed: of all that is drawn of now, since a picture of the past holds less. */
const dots = signal<Dot[]>([]);
effect(() => {
  if (!past.value) dots.value = picture.value?.dots ?? [];
});
const event = computed(() => moments(dots.value.flatMap((dot) => [dot.valid_from, dot.valid_to])));
const record = computed(() => moments(dots.value.map((dot) => dot.recorded_at)));

/** In seconds, in order, the last of those that one mark stands for; up to the next millisecond, as finely as the page counts. */
function moments(told: (string | null)[]): number[] {
  const all = told.flatMap((one) => (one === null ? [] : Math.ceil(Date.parse(one) + 0.5) / 1000)).sort((a, b) => a - b);
  const place = (at: number) => Math.round((STEPS * (at - all[0]!)) / Math.max(1, all.at(-1)! - all[0]!));
  return [...new Map(all.map((at) => [place(at), at])).values()];
}

/** Two sliders: what was true then, and what was known then. */
export function Times() {
  if (stats.value === null) return null;
  return (
    <div class="times" role="group" aria-label="Look at another time">
      <Slider name="true at" about="what was so in the world then" of={asOf} marks={event.value} />
      <Slider name="known at" about="what had been told by then" of={recordedAsOf} marks={record.value} />
      <button type="button" disabled={!past.value} onClick={() => (asOf.value = recordedAsOf.value = null)}>Now</button>
    </div>
  );
}

interface Given { name: string; about: string; of: typeof asOf; marks: number[] }

/** A moment between the first change and the last; the arrow keys go from change to change. */
function Slider({ name, about, of, marks }: Given) {
  const [first, last] = [marks[0] ?? 0, marks.at(-1) ?? 0];
  const value = of.value;
  const span = Math.max(1, last - first);
  const place = (at: number) => Math.round((STEPS * (at - first)) / span);
  const shown = value === null ? "now" : span < MINUTE ? `${Math.floor(value - first)} s in` : moment(value, span);
  const go = (e: KeyboardEvent) => {
    if (["ArrowLeft", "ArrowDown"].includes(e.key)) of.value = marks.findLast((one) => one < (value ?? last)) ?? value;
    else if (["ArrowRight", "ArrowUp"].includes(e.key)) {
      const next = marks.find((one) => one > (value ?? last));
      of.value = next === undefined || next === last ? null : next;
    } else return;
    e.preventDefault();
  };
  return (
    <label class={value === null ? "" : "then"} title={about}>
      <span>{name}</span>
      <span class="track">
        <input
          type="range"
          min={0}
          max={STEPS}
          disabled={marks.length === 0}
          value={value === null ? STEPS : place(value)}
          aria-label={`${name}: ${about}`}
          aria-valuetext={shown}
          onKeyDown={go}
          onInput={(e) => {
            const at = Number(e.currentTarget.value);
            of.value = at >= STEPS ? null : first + (span * at) / STEPS;
          }}
        />
        <svg viewBox={`0 0 ${STEPS} 1`} preserveAspectRatio="none" aria-hidden="true">
          <path d={marks.map((at) => `M${place(at)} 0V1`).join("")} />
        </svg>
      </span>
      <output>{shown}</output>
    </label>
  );
}

/** A moment as finely as what lies between the first and the last asks for. */
function moment(seconds: number, span: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, span > 3 * DAY ? 10 : 19).replace("T", " ");
}
