// The graph on a canvas: sigma draws, graphology holds, ForceAtlas2 lays out a little each frame.
//
// Episodes are squares on the left, the semantic block circles on the right, so both are apart at a
// glance; colour is the region, width the weight, and what decays fades.
import { NodeSquareProgram } from "@sigma/node-square";
import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";
import Sigma from "sigma";
import { NodeCircleProgram } from "sigma/rendering";
import type { NodeDisplayData, PartialButFor } from "sigma/types";

import type { Explanation, Picture, RegionMap } from "./api";

const FRAMES = 160; // of layout after a change
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const DARK = matchMedia("(prefers-color-scheme: dark)");
const GOLDEN = 137.508;

interface Marks {
  chosen: number | null;
  fresh: Set<number>;
  path: Explanation | null;
  step: number;
  found: Set<number>;
}

export class View {
  readonly graph = new Graph({ multi: true, type: "directed" });
  private readonly sigma: Sigma;
  private frames = 0;
  private marks: Marks = { chosen: null, fresh: new Set(), path: null, step: 0, found: new Set() };
  private lit = new Map<string, number>();

  constructor(place: HTMLElement, onChoose: (name: string | null) => void) {
    this.sigma = new Sigma(this.graph, place, {
      allowInvalidContainer: true,
      defaultNodeType: "circle",
      nodeProgramClasses: { circle: NodeCircleProgram, square: NodeSquareProgram },
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      labelDensity: 0.6,
      labelRenderedSizeThreshold: 5,
      labelColor: { color: ink() },
      defaultDrawNodeHover: hover,
      zIndex: true,
      nodeReducer: (name, data) => this.node(name, data),
      edgeReducer: (name, data) => this.edge(name, data),
    });
    this.sigma.on("clickNode", ({ node }) => onChoose(node));
    this.sigma.on("clickStage", () => onChoose(null));
    DARK.addEventListener("change", () => {
      this.sigma.setSetting("labelColor", { color: ink() });
      this.sigma.refresh();
    });
  }

  /** Show nodes and arcs; what was there keeps its place. */
  draw(seen: Picture): void {
    const wanted = new Map(seen.dots.map((dot) => [String(dot.id), dot]));
    this.graph.forEachNode((name) => {
      if (!wanted.has(name)) this.graph.dropNode(name);
    });
    let added = 0;
    for (const [name, dot] of wanted) {
      const episodic = dot.kind === "episode";
      const faded = dot.current && !dot.cold ? Math.max(0.25, dot.strength) : 0.15;
      const given = {
        label: dot.label,
        kind: dot.kind,
        region: dot.region,
        type: episodic ? "square" : "circle",
        size: 3 + 4 * dot.importance + 1.5 * Math.log2(1 + dot.uses) + (dot.kind === "entity" ? 2 : 0),
        color: shade(dot.region, dot.kind, faded),
      };
      if (this.graph.hasNode(name)) this.graph.mergeNodeAttributes(name, given);
      else {
        added += 1;
        this.graph.addNode(name, { ...given, ...place(dot.id, dot.region, episodic) });
      }
    }
    this.graph.clearEdges();
    for (const arc of seen.lines) {
      const [src, dst] = [String(arc.src), String(arc.dst)];
      if (!this.graph.hasNode(src) || !this.graph.hasNode(dst)) continue;
      const liquid = arc.kind === "association";
      this.graph.addEdge(src, dst, {
        kind: arc.kind,
        size: liquid ? 0.4 + 3 * arc.weight : 0.5,
        weight: arc.weight,
        color: liquid ? tint(265, 60, 0.15 + 0.6 * arc.weight) : tint(220, 8, 0.35),
      });
    }
    this.settle(added > 0 ? FRAMES : FRAMES / 8);
  }

  /** Show regions as nodes: the way into a memory that is too large to be seen at once. */
  drawRegions(map: RegionMap): void {
    this.graph.clear();
    const most = Math.max(1, ...map.regions.map((region) => region.size));
    for (const region of map.regions) {
      const angle = (region.id * GOLDEN * Math.PI) / 180;
      this.graph.addNode(`region ${region.id}`, {
        label: `${region.name} (${region.size})`,
        kind: "region",
        type: "circle",
        region: region.id,
        size: 6 + 22 * Math.sqrt(region.size / most),
        color: shade(region.id, "theme", 0.9),
        x: 10 * Math.cos(angle),
        y: 10 * Math.sin(angle),
      });
    }
    const heaviest = Math.max(1e-9, ...map.links.map((link) => link.weight));
    for (const link of map.links.slice(0, 500)) {
      const [a, b] = [`region ${link.a}`, `region ${link.b}`];
      if (!this.graph.hasNode(a) || !this.graph.hasNode(b)) continue;
      const weight = link.weight / heaviest;
      this.graph.addEdge(a, b, {
        kind: "link", weight, size: 0.5 + 5 * weight, color: tint(265, 40, 0.2 + 0.5 * weight),
      });
    }
    this.settle(FRAMES);
  }

  mark(marks: Marks): void {
    this.marks = marks;
    this.lit.clear();
    for (const hit of marks.path?.trace.hits.slice(0, marks.step) ?? []) {
      this.lit.set(String(hit.id), 2);
      if (hit.anchor) this.lit.set(String(hit.anchor), 1);
      for (const one of hit.path) {
        for (const name of [String(one.src), String(one.dst)]) {
          if (!this.lit.has(name)) this.lit.set(name, 1);
        }
      }
    }
    this.sigma.refresh({ skipIndexation: true });
  }

  /** Bring a node into the middle. */
  look(name: string): void {
    const at = this.sigma.getNodeDisplayData(name);
    if (at) void this.sigma.getCamera().animate({ x: at.x, y: at.y, ratio: 0.4 }, { duration: STILL.matches ? 0 : 400 });
  }

  whole(): void {
    void this.sigma.getCamera().animatedReset({ duration: STILL.matches ? 0 : 300 });
  }

  zoom(by: number): void {
    const camera = this.sigma.getCamera();
    void camera.animate({ ratio: camera.ratio / by }, { duration: STILL.matches ? 0 : 150 });
  }

  private node(name: string, data: Record<string, unknown>): Record<string, unknown> {
    const id = Number(name);
    const lit = this.lit.get(name);
    const shown = { ...data };
    if (this.lit.size > 0 && lit === undefined) {
      shown.color = tint(220, 5, 0.18);
      shown.label = "";
    }
    if (lit === 2) Object.assign(shown, { color: "#f0a830", highlighted: true, zIndex: 3 });
    if (lit === 1) Object.assign(shown, { color: "#e8743b", zIndex: 2, forceLabel: true });
    if (this.marks.found.has(id)) Object.assign(shown, { highlighted: true, zIndex: 2 });
    if (this.marks.fresh.has(id)) shown.size = (data.size as number) * 1.5;
    if (id === this.marks.chosen) Object.assign(shown, { highlighted: true, zIndex: 4, forceLabel: true });
    return shown;
  }

  private edge(name: string, data: Record<string, unknown>): Record<string, unknown> {
    if (this.lit.size === 0) return data;
    const [src, dst] = this.graph.extremities(name);
    const on = this.lit.has(src) && this.lit.has(dst);
    return on ? { ...data, color: "#e8743b", size: 3, zIndex: 2 } : { ...data, color: tint(220, 5, 0.06) };
  }

  private settle(frames: number): void {
    const running = this.frames > 0;
    this.frames = Math.max(this.frames, frames);
    if (STILL.matches) {
      this.layout(this.frames);
      this.frames = 0;
    } else if (!running) requestAnimationFrame(() => this.frame());
  }

  private frame(): void {
    if (this.frames <= 0) return;
    // Large graphs get fewer, so that a frame stays short and the page answers.
    this.layout(this.graph.order > 800 ? 1 : 3);
    this.frames -= 1;
    requestAnimationFrame(() => this.frame());
  }

  private layout(iterations: number): void {
    if (this.graph.order < 2) return;
    forceAtlas2.assign(this.graph, {
      iterations,
      getEdgeWeight: "weight",
      settings: { ...forceAtlas2.inferSettings(this.graph), gravity: 0.6, scalingRatio: 8, adjustSizes: false },
    });
    // The two blocks drift to their sides, whatever pulls them together.
    let widest = 1;
    this.graph.forEachNode((_, { x }) => (widest = Math.max(widest, Math.abs(x))));
    this.graph.forEachNode((name, { x, kind }) => {
      if (kind === "region") return;
      const side = kind === "episode" ? -1 : 1;
      const short = 0.12 * widest - side * x;
      if (short > 0) this.graph.setNodeAttribute(name, "x", x + side * Math.min(short, 0.08 * widest));
    });
  }
}

function place(id: number, region: number, episodic: boolean): { x: number; y: number } {
  // By ids alone: the same memory looks the same each time it is opened.
  const angle = ((region || id) * GOLDEN * Math.PI) / 180;
  const near = ((id * 0.754877666) % 1) - 0.5;
  const side = episodic ? -8 : 8;
  return { x: side + 5 * Math.cos(angle) + 2 * near, y: 9 * Math.sin(angle) + 3 * near };
}

/** A label on a plate of the page's own ground: sigma's is white in the dark too. */
function hover(context: CanvasRenderingContext2D, data: PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">): void {
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
  context.strokeStyle = ink();
  context.lineWidth = 2;
  context.stroke();
  if (!data.label) return;
  context.font = "12px system-ui, sans-serif";
  const words = data.label.length > 60 ? `${data.label.slice(0, 59)}…` : data.label;
  const [left, width] = [data.x + data.size + 6, context.measureText(words).width];
  context.fillStyle = DARK.matches ? "#1d1f27" : "#ffffff";
  context.fillRect(left - 2, data.y - 9, width + 8, 18);
  context.strokeRect(left - 2, data.y - 9, width + 8, 18);
  context.fillStyle = ink();
  context.fillText(words, left + 2, data.y + 4);
}

function ink(): string {
  return DARK.matches ? "#d8dae2" : "#22242c";
}

const HUES: Record<string, number> = { episode: 38, entity: 205, fact: 262, note: 150, theme: 320 };

function shade(region: number, kind: string, strength: number): string {
  const hue = region ? (region * GOLDEN) % 360 : (HUES[kind] ?? 220);
  return tint(hue, region ? 55 : 35, strength);
}

/** A colour mixed with the ground, as sigma's programs take no hsl() and draw alpha badly. */
function tint(hue: number, saturation: number, strength: number): string {
  const light = DARK.matches ? 62 : 48;
  const ground = DARK.matches ? [20, 21, 27] : [250, 250, 252];
  const pure = rgb(hue, saturation / 100, light / 100);
  const mixed = pure.map((value, n) => Math.round(value * strength + ground[n]! * (1 - strength)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function rgb(hue: number, saturation: number, light: number): number[] {
  const a = saturation * Math.min(light, 1 - light);
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    return 255 * (light - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  });
}
