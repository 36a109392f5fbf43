import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { type Moment, type NodeCard, Problem } from "../api";
import { memory, stats } from "../state";
import { counted, deed } from "../words";

const [WIDE, HIGH] = [300, 84];
const [LEFT, TOP] = [26, 6];
/** Room for the words below the beginning. */
const WORDS = 80;

/** Strength over time: what each change left of it, and how it fades between and after. */
export function Life({ node }: { node: NodeCard }) {
  const life = useSignal<Moment[]>([]);
  const seq = stats.value?.seq;
  useEffect(() => {
    const of = memory.value;
    let here = true;
    of?.life(node.id).then((found) => {
      if (here) life.value = found;
    }, (failure: unknown) => {
      if (!(failure instanceof Problem)) throw failure;
      if (here) life.value = [];
    });
    return () => { here = false; };
  }, [node.id, seq]);
  const tick = Math.max(stats.value?.tick ?? 0, life.value.at(-1)?.tick ?? 0);
  return (
    <>
      <h3>Strength over time</h3>
      <p class="quiet">now {node.strength.toFixed(2)}, {counted(node.uses, "use")}{node.pinned ? ", pinned: it does not fade" : ""}</p>
      {life.value.length > 0 && <Chart life={life.value} tick={tick} />}
    </>
  );
}

function Chart({ life, tick }: { life: Moment[]; tick: number }) {
  const first = life[0]!.tick;
  const ahead = Math.max(20, Math.round(0.4 * (tick - first)));
  const last = tick + ahead;
  const x = (at: number) => LEFT + ((WIDE - LEFT) * (at - first)) / Math.max(1, last - first);
  const y = (strength: number) => TOP + (HIGH - TOP) * (1 - strength);
  const until = (n: number) => life[n + 1]?.tick ?? tick;
  const curve = (moment: Moment, from: number, to: number) =>
    Array.from({ length: 13 }, (_, n) => from + ((to - from) * n) / 12)
      .map((at) => `${x(at).toFixed(1)},${y(worth(moment, at)).toFixed(1)}`).join(" ");
  const past = life.map((moment, n) => curve(moment, moment.tick, until(n))).join(" ");
  const newest = life.at(-1)!;
  const beside = x(tick) - LEFT > WORDS;
  const then = worth(newest, last);
  const words = `Strength from tick ${first}, where it was ${life[0]!.strength.toFixed(2)}, to ${worth(newest, tick).toFixed(2)} at tick ${tick}, by ${counted(life.length, "change")}; unused it will be ${then.toFixed(2)} at tick ${last}.`;
  return (
    <figure class="life">
      <svg viewBox={`0 0 ${WIDE + 4} ${HIGH + 20}`} role="img" aria-label={words}>
        {[0, 0.5, 1].map((level) => (
          <g key={level}>
            <line class="grid" x1={LEFT} x2={WIDE} y1={y(level)} y2={y(level)} />
            <text x={LEFT - 5} y={y(level) + 3.5} text-anchor="end">{level}</text>
          </g>
        ))}
        <line class="now" x1={x(tick)} x2={x(tick)} y1={TOP} y2={HIGH} />
        <polyline class="past" points={past} />
        <polyline class="ahead" points={curve(newest, tick, last)} />
        {life.map((moment) => (
          <circle key={moment.seq} cx={x(moment.tick)} cy={y(moment.strength)} r={3}>
            <title>{`${deed(moment)} at tick ${moment.tick}: ${moment.strength.toFixed(2)}, ${counted(moment.uses, "use")}`}</title>
          </circle>
        ))}
        {beside && <text x={LEFT} y={HIGH + 15}>tick {first}</text>}
        <text x={x(tick)} y={HIGH + 15} text-anchor={beside ? "middle" : "start"}>{beside ? "now" : `now, tick ${tick}`}</text>
        <text x={WIDE} y={HIGH + 15} text-anchor="end">{last}</text>
      </svg>
      <figcaption class="quiet">Dots: what touched it. Dashed: how it fades when nobody asks for it.</figcaption>
    </figure>
  );
}

/** The law of decay: half of it goes in each half-life. */
function worth(moment: Moment, at: number): number {
  if (moment.half_life === null) return moment.strength;
  return moment.strength * 2 ** (-(at - moment.tick) / moment.half_life);
}
