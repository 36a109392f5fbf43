import { computed } from "@preact/signals";

import { asOf, picture, recordedAsOf } from "../state";

const DAY = 86_400;

/** The bounds of both times, from what has been drawn. */
const bounds = computed(() => {
  const seconds = (moment: string | null) => (moment === null ? null : Date.parse(moment) / 1000);
  const dots = picture.value?.dots ?? [];
  const of = (values: (number | null)[]) => {
    const given = values.filter((value): value is number => value !== null);
    return given.length ? [Math.min(...given), Math.max(...given)] : null;
  };
  return {
    event: of(dots.flatMap((dot) => [seconds(dot.valid_from), seconds(dot.valid_to)])),
    record: of(dots.map((dot) => seconds(dot.recorded_at))),
  };
});
let widest: { event: number[] | null; record: number[] | null } = { event: null, record: null };

/** Two sliders: what was true then, and what was known then. */
export function Times() {
  // A picture of the past holds less, so the sliders keep the widest bounds that were seen.
  widest = { event: joined(widest.event, bounds.value.event), record: joined(widest.record, bounds.value.record) };
  return (
    <div class="times" role="group" aria-label="Look at another time">
      <Slider name="true at" of={asOf} bounds={widest.event} />
      <Slider name="known at" of={recordedAsOf} bounds={widest.record} />
    </div>
  );
}

function Slider({ name, of, bounds }: { name: string; of: typeof asOf; bounds: number[] | null }) {
  const [first = 0, last = 0] = bounds ?? [];
  const value = of.value;
  const span = Math.max(1, last - first);
  const shown = value === null ? "now" : new Date(value * 1000).toISOString().slice(0, span > 3 * DAY ? 10 : 19);
  return (
    <label>
      <span>{name}</span>
      <input
        type="range"
        min={0}
        max={1000}
        disabled={bounds === null}
        value={value === null ? 1000 : Math.round((1000 * (value - first)) / span)}
        aria-valuetext={shown}
        onInput={(e) => {
          const at = Number(e.currentTarget.value);
          of.value = at >= 1000 ? null : first + (span * at) / 1000;
        }}
      />
      <output>{shown}</output>
    </label>
  );
}

function joined(a: number[] | null, b: number[] | null): number[] | null {
  if (a === null || b === null) return a ?? b;
  return [Math.min(a[0]!, b[0]!), Math.max(a[1]!, b[1]!)];
}
