import { computed, signal } from "@preact/signals";

import { asOf, memory, past, picture, recordedAsOf, stats } from "../state";

const DAY = 86_400;
const MINUTE = 60;
const STEPS = 1000;

/** The bounds of both times, from what has been drawn. */
const bounds = computed(() => {
  const seconds = (moment: string | null) => (moment === null ? null : Date.parse(moment) / 1000);
  const dots = picture.value?.dots ?? [];
  const of = (values: (number | null)[]) => {
    let [least, most] = [Infinity, -Infinity];
    for (const value of values) {
      if (value !== null) [least, most] = [Math.min(least, value), Math.max(most, value)];
    }
    return least <= most ? [least, most] : null;
  };
  return {
    event: of(dots.flatMap((dot) => [seconds(dot.valid_from), seconds(dot.valid_to)])),
    record: of(dots.map((dot) => seconds(dot.recorded_at))),
  };
});
type Bounds = (typeof bounds)["value"];
let widest: Bounds = { event: null, record: null };
let widestOf: unknown = null;
const moved = signal(0);

/** Two sliders: what was true then, and what was known then. */
export function Times() {
  void moved.value;
  if (stats.value === null) return null;
  if (widestOf !== memory.value) {
    widest = { event: null, record: null };
    widestOf = memory.value;
  }
  // A picture of the past holds less, so the sliders keep the widest bounds that were seen.
  widest = { event: joined(widest.event, bounds.value.event), record: joined(widest.record, bounds.value.record) };
  return (
    <div class="times" role="group" aria-label="Look at another time">
      <Slider name="true at" about="what was so in the world then" of={asOf} bounds={widest.event} />
      <Slider name="known at" about="what had been told by then" of={recordedAsOf} bounds={widest.record} />
      <button
        type="button" disabled={!past.value}
        onClick={() => {
          asOf.value = recordedAsOf.value = null;
          moved.value += 1;
        }}
      >
        Now
      </button>
    </div>
  );
}

interface Given { name: string; about: string; of: typeof asOf; bounds: number[] | null }

function Slider({ name, about, of, bounds }: Given) {
  const [first = 0, last = 0] = bounds ?? [];
  const value = of.value;
  const span = Math.max(1, last - first);
  const shown = value === null ? "now" : span < MINUTE ? `${Math.floor(value - first)} s in` : moment(value, span);
  return (
    <label class={value === null ? "" : "then"} title={about}>
      <span>{name}</span>
      <input
        type="range"
        min={0}
        max={STEPS}
        disabled={bounds === null}
        value={value === null ? STEPS : Math.round((STEPS * (value - first)) / span)}
        aria-label={`${name}: ${about}`}
        aria-valuetext={shown}
        onInput={(e) => {
          const at = Number(e.currentTarget.value);
          of.value = at >= STEPS ? null : first + (span * at) / STEPS;
        }}
      />
      <output>{shown}</output>
    </label>
  );
}

/** A moment as finely as what lies between the first and the last asks for. */
function moment(seconds: number, span: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, span > 3 * DAY ? 10 : 19).replace("T", " ");
}

function joined(a: number[] | null, b: number[] | null): number[] | null {
  if (a === null || b === null) return a ?? b;
  return [Math.min(a[0]!, b[0]!), Math.max(a[1]!, b[1]!)];
}
