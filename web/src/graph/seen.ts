// What is drawn, as numbers: a canvas tells nothing of itself. It is only read, by tests and whoever
// measures, and is what sigma draws by, after everything that is lit, dimmed or chosen.
import type Sigma from "sigma";

import type { Rect } from "./room";

/** Places and sizes in pixels of the canvas. `size`: half of what a node measures across. `labels`: where the
 * words beside nodes stand. */
export interface Seen {
  nodes: Record<string, { shape: string; color: string; x: number; y: number; size: number; ringed: boolean; mark: string | null }>;
  arcs: { src: string; dst: string; kind: string; color: string; width: number }[];
  labels: Record<string, Rect>;
}

export function seen(sigma: Sigma, labels: Seen["labels"]): Seen {
  const graph = sigma.getGraph();
  const nodes: Seen["nodes"] = {};
  graph.forEachNode((name) => {
    const shown = sigma.getNodeDisplayData(name);
    if (!shown) return; // added since the last frame
    const { type: shape, color, highlighted, mark = null } = shown as typeof shown & { mark?: string | null };
    const at = sigma.framedGraphToViewport(shown);
    nodes[name] = { shape, color, ...at, size: sigma.scaleSize(shown.size), ringed: highlighted, mark };
  });
  const arcs = graph.mapEdges((name, { kind }, src, dst) => {
    const shown = sigma.getEdgeDisplayData(name);
    return shown ? [{ src, dst, kind: kind as string, color: shown.color, width: sigma.scaleSize(shown.size) }] : [];
  });
  return { nodes, arcs: arcs.flat(), labels };
}
