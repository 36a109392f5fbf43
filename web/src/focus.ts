// What of a memory that is too large to be drawn whole is looked at closely: an answer's path, or a
// node and what lies beside it. Drawn in the place of the regions, or added to what is drawn.
import { computed } from "@preact/signals";

import type { Arc, Dot, NodeCard, Picture } from "./api";
import { asOf, byRegion, chosen, picture, shown } from "./state";
import { evidence, path, pathNodes, throughOf } from "./talk";

/** What is drawn: null where the regions are. */
export const drawn = computed<Picture | null>(() => {
  const closely = path.value !== null ? ofPath() : chosen.value !== null ? ofChosen() : null;
  if (byRegion.value) return closely;
  const whole = asOf.value === null ? picture.value : told(picture.value);
  if (whole === null || path.value === null || closely === null) return whole;
  const there = new Set(whole.dots.map((dot) => dot.id));
  const missing = closely.dots.filter((dot) => !there.has(dot.id));
  if (missing.length === 0) return whole;
  return { ...whole, dots: [...whole.dots, ...missing], lines: [...whole.lines, ...closely.lines] };
});

/** Without names that nothing was told of at that time: of themselves they hold at any. */
function told(seen: Picture | null): Picture | null {
  if (seen === null) return null;
  const tells = new Set(seen.dots.filter(({ kind }) => kind !== "entity").map(({ id }) => id));
  const of = new Set(seen.lines.flatMap(({ src, dst }) => [...(tells.has(src) ? [dst] : []), ...(tells.has(dst) ? [src] : [])]));
  const stays = ({ id, kind, pinned }: Dot) => kind !== "entity" || pinned || of.has(id) || shown.value.has(id) || chosen.value?.node.id === id;
  return { ...seen, dots: seen.dots.filter(stays) };
}

function ofPath(): Picture | null {
  const { first } = evidence.value;
  const known = new Map(picture.value?.dots.map((dot) => [dot.id, dot]));
  const dots = throughOf(first).flatMap((id) => {
    const node = pathNodes.value.get(id);
    return known.get(id) ?? (node ? dotOf(node) : []);
  });
  const lines = first.flatMap((hit) => hit.path.map(({ src, dst, weight }) => arc(src, dst, weight)));
  return pictured(dots, lines);
}

function ofChosen(): Picture {
  const { node, beside } = chosen.value!;
  const near = [...new Map(beside.map((one) => [one.id, one])).values()].filter((one) => one.id !== node.id);
  const dots = near.map((one) => dotOf({ id: one.id, kind: one.kind, text: one.text }));
  const lines = beside.map((one) => ({
    ...arc(node.id, one.id, one.weight), kind: one.arc,
  }));
  return pictured([dotOf(node), ...dots], lines);
}

function pictured(dots: Dot[], lines: Arc[]): Picture {
  return { tick: 0, seq: 0, nodes: dots.length, arcs: lines.length, dots, lines };
}

function arc(src: number, dst: number, weight: number): Arc {
  return { src, dst, kind: "association", weight };
}

function dotOf(node: Partial<NodeCard> & Pick<NodeCard, "id" | "kind" | "text">): Dot {
  return {
    id: node.id, kind: node.kind, label: node.text, strength: node.strength ?? 1, importance: node.importance ?? 0.3,
    uses: node.uses ?? 0, region: 0, current: (node.valid_to ?? null) === null,
    tentative: node.fact?.tentative ?? false, disputed: node.fact?.disputed ?? false, pinned: node.pinned ?? false,
    cold: node.cold ?? false, valid_from: node.valid_from ?? null, valid_to: node.valid_to ?? null,
    recorded_at: node.recorded_at ?? null,
  };
}
