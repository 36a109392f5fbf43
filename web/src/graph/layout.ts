// Where nodes lie. Each block (episodes; what is known) is laid out by ForceAtlas2 on its own arcs
// alone and then fitted into a box of its own, so that the two are apart at a glance, whatever hangs
// together across them.
import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

import { angle } from "./colours";

export interface Box { left: number; right: number; bottom: number; top: number }
interface Fit { x: number; y: number; across: number; up: number }

const EASE = 0.25; // of the way to a new fit, each frame
const STRETCH = 2.4; // how much wider than high a block may be drawn than it was laid out
const INSIDE = { left: 34, right: 96, top: 42, bottom: 26 }; // pixels of a block without nodes
const SMALLEST = 24; // a block of few nodes is not blown up beyond this

export class Block {
  private readonly graph = new Graph({ type: "undirected" });
  private fit: Fit | null = null;
  box: Box = { left: -1, right: 1, bottom: -1, top: 1 };

  get order(): number {
    return this.graph.order;
  }

  /** Hold just these nodes and arcs; what was there keeps its place. Returns how many are new. */
  hold(nodes: Map<string, number>, arcs: { a: string; b: string; weight: number }[]): number {
    this.graph.forEachNode((name) => {
      if (!nodes.has(name)) this.graph.dropNode(name);
    });
    const fresh = [...nodes.keys()].filter((name) => !this.graph.hasNode(name));
    for (const name of fresh) this.graph.addNode(name, { x: 0, y: 0 });
    this.graph.clearEdges();
    for (const { a, b, weight } of arcs) this.graph.mergeEdge(a, b, { weight });
    const young = new Set(fresh);
    for (const name of fresh) this.graph.mergeNodeAttributes(name, this.begin(name, nodes.get(name)!, young));
    if (this.graph.order === fresh.length) this.fit = null;
    return fresh.length;
  }

  /** How high each node lies in its block, from -1 to 1. */
  heights(): Map<string, number> {
    const [bottom, top] = bounds(this.graph.mapNodes((_, { y }) => y as number));
    const half = Math.max(1, (top - bottom) / 2);
    return new Map(this.graph.mapNodes((name, { y }) => [name, (y - (bottom + top) / 2) / half] as const));
  }

  /** Draw nodes a little towards heights, so that what hangs together across lies level. */
  level(heights: Map<string, number>, by: number): void {
    const [bottom, top] = bounds(this.graph.mapNodes((_, { y }) => y as number));
    for (const [name, height] of heights) {
      if (!this.graph.hasNode(name)) continue;
      const wanted = (bottom + top) / 2 + (height * (top - bottom)) / 2;
      this.graph.updateNodeAttribute(name, "y", (y: number) => y + by * (wanted - y));
    }
  }

  clear(): void {
    this.graph.clear();
    this.fit = null;
  }

  run(iterations: number): void {
    if (this.graph.order < 2) return;
    forceAtlas2.assign(this.graph, {
      iterations,
      getEdgeWeight: "weight",
      settings: {
        linLogMode: false, outboundAttractionDistribution: false, strongGravityMode: true,
        gravity: 0.08, scalingRatio: 10, slowDown: 1 + Math.log(this.graph.order),
        edgeWeightInfluence: 1, barnesHutOptimize: this.graph.order > 300, barnesHutTheta: 0.8,
      },
    });
  }

  /** Every node's place in the box; `jump` without easing into it. */
  places(jump: boolean): Map<string, { x: number; y: number }> {
    const found = new Map<string, { x: number; y: number }>();
    if (this.graph.order === 0) return found;
    const wanted = this.wanted();
    const was = jump ? null : this.fit;
    const fit = was === null ? wanted : {
      x: was.x + EASE * (wanted.x - was.x), y: was.y + EASE * (wanted.y - was.y),
      across: was.across + EASE * (wanted.across - was.across), up: was.up + EASE * (wanted.up - was.up),
    };
    this.fit = fit;
    const [mx, my] = [(this.box.left + this.box.right) / 2, (this.box.bottom + this.box.top) / 2];
    this.graph.forEachNode((name, { x, y }) => {
      found.set(name, {
        // While the fit still follows what came, nothing leaves its box.
        x: Math.min(this.box.right, Math.max(this.box.left, mx + (x - fit.x) * fit.across)),
        y: Math.min(this.box.top, Math.max(this.box.bottom, my + (y - fit.y) * fit.up)),
      });
    });
    return found;
  }

  /** Beside what it hangs together with, else by its numbers: the same memory looks the same. */
  private begin(name: string, region: number, young: Set<string>): { x: number; y: number } {
    const id = Number(name.replace(/\D/g, ""));
    const near = { x: ((id * 0.754877666) % 1) - 0.5, y: ((id * 0.569840291) % 1) - 0.5 };
    let [x, y, n] = [0, 0, 0];
    this.graph.forEachNeighbor(name, (other, at) => {
      if (young.has(other)) return;
      [x, y, n] = [x + at.x, y + at.y, n + 1];
    });
    if (n > 0) return { x: x / n + 8 * near.x, y: y / n + 8 * near.y };
    const turn = (angle(region || id) * Math.PI) / 180;
    const wide = 6 + 2 * Math.sqrt(this.graph.order);
    return { x: wide * (Math.cos(turn) + 0.7 * near.x), y: wide * (Math.sin(turn) + 0.7 * near.y) };
  }

  private wanted(): Fit {
    const [xs, ys]: [number[], number[]] = [[], []];
    this.graph.forEachNode((_, { x, y }) => { xs.push(x); ys.push(y); });
    const [left, right] = bounds(xs);
    const [bottom, top] = bounds(ys);
    let across = (this.box.right - this.box.left) / Math.max(SMALLEST, right - left);
    let up = (this.box.top - this.box.bottom) / Math.max(SMALLEST, top - bottom);
    across = Math.min(across, STRETCH * up);
    up = Math.min(up, STRETCH * across);
    return { x: (left + right) / 2, y: (bottom + top) / 2, across, up };
  }
}

function bounds(values: number[]): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}

/** The part of a block that nodes lie in: room for its name, and for theirs. */
export function inset(box: Box, unit: number): Box {
  const narrow = (box.right - box.left) / unit < 420;
  return {
    left: box.left + INSIDE.left * unit,
    right: box.right - (narrow ? 60 : INSIDE.right) * unit,
    bottom: box.bottom + INSIDE.bottom * unit,
    top: box.top - INSIDE.top * unit,
  };
}
