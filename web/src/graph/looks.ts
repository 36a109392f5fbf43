// How nodes and arcs look when nothing is chosen: colour, size, width.
import { type Arc, type Dot, marked } from "../api";
import { shade, tint } from "./colours";

export type Data = Record<string, unknown>;

const NAMED: Record<string, number> = { entity: 1.5, fact: 1 }; // larger, so that what is known is named before what was said
const MOST_ARCS = 6000; // drawn: the strongest ones, beside structure

/** Associations go both ways: one line for both, as strong as the stronger; weak ones last. */
export function drawn(arcs: Arc[]): Arc[] {
  const pairs = new Map<string, Arc>();
  const structure: Arc[] = [];
  for (const arc of arcs) {
    if (arc.kind !== "association") {
      structure.push(arc);
      continue;
    }
    const pair = arc.src < arc.dst ? `${arc.src} ${arc.dst}` : `${arc.dst} ${arc.src}`;
    const was = pairs.get(pair);
    if (was === undefined || was.weight < arc.weight) pairs.set(pair, arc);
  }
  const liquid = [...pairs.values()].sort((a, b) => b.weight - a.weight).slice(0, MOST_ARCS);
  return [...structure.slice(0, MOST_ARCS), ...liquid];
}

/** Arcs from block to block are long: drawn as wide as the others, but paler. */
export function line(arc: Pick<Arc, "kind" | "weight"> & { across: boolean }): Data & { size: number } {
  const liquid = arc.kind === "association";
  const strength = Math.min(0.95, 0.04 + arc.weight ** 1.5) * (arc.across ? 0.5 : 1);
  return {
    size: liquid ? 0.3 + 4.5 * arc.weight ** 1.5 : 0.7,
    color: liquid ? tint(265, 55, strength) : tint(220, 12, arc.across ? 0.14 : 0.35),
    zIndex: liquid ? Math.round(10 * arc.weight) / 10 - (arc.across ? 1 : 0) : -1,
  };
}

export function looks(dot: Dot): Data {
  const faded = dot.current && !dot.cold ? 0.3 + 0.7 * dot.strength : 0.28;
  return {
    label: marked(dot.label, dot.tentative, dot.disputed),
    kind: dot.kind,
    region: dot.region,
    mark: dot.disputed ? "disputed" : dot.tentative ? "guess" : null,
    faded,
    type: dot.kind === "episode" ? "square" : "circle",
    size: 3 + 4 * dot.importance + 1.5 * Math.log2(1 + dot.uses) + (NAMED[dot.kind] ?? 0) + (dot.pinned ? 2 : 0),
    color: shade(dot.region, dot.kind, faded),
  };
}
