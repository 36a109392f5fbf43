// What lies under the graph: the two blocks, and a pulse where something changed.
import type Sigma from "sigma";

import type { Change } from "../api";
import { STILL, palette } from "./colours";
import type { Heading } from "./labels";
import type { Box } from "./layout";

export const PULSE_MS = 1800;

interface Ring { kind: "node"; name: string; colour: "fresh" | "changed" }
interface Line { kind: "arc"; src: string; dst: string; colour: "fresh" | "changed" | "gone" }
type Pulse = (Ring | Line) & { born: number };

export interface Plate { title: string; about: string; box: Box }

export class Ground {
  private readonly context: CanvasRenderingContext2D;
  private pulses: Pulse[] = [];
  plates: Plate[] = [];

  constructor(private readonly sigma: Sigma) {
    // Sigma takes the place among its layers here too; only its types leave it out.
    const options = { beforeLayer: "edges", style: { pointerEvents: "none" } } as { style: object };
    sigma.createCanvasContext("ground", options);
    sigma.resize(true);
    this.context = sigma.getCanvases().ground!.getContext("2d")!;
    sigma.on("afterRender", () => this.draw());
  }

  /** Let what a change made, touched and removed be seen for a moment. */
  pulse(change: Change, now: number): void {
    const once = new Set<string>();
    const arcs = (all: Change["arcs"], colour: Line["colour"]) =>
      all.slice(0, 400).flatMap(({ src, dst }) => {
        const pair = [src, dst].sort((a, b) => a - b).join(" ");
        if (once.has(pair)) return [];
        once.add(pair);
        return [{ kind: "arc" as const, src: String(src), dst: String(dst), colour, born: now }];
      });
    const nodes = (ids: number[], colour: Ring["colour"]) =>
      ids.slice(0, 400).map((id) => ({ kind: "node" as const, name: String(id), colour, born: now }));
    this.pulses.push(
      ...arcs(change.cut, "gone"), ...arcs(change.arcs, "fresh"), ...arcs(change.reweighted, "changed"),
      ...nodes(change.changed, "changed"), ...nodes(change.added, "fresh"),
    );
    this.keep();
  }

  /** What the blocks are called, and where: written over the arcs. */
  headings(): Heading[] {
    return this.plates.map(({ title, about, box }) => {
      const { x: left, y: top } = this.sigma.graphToViewport({ x: box.left, y: box.top });
      return { title, about, left, top, right: this.sigma.graphToViewport({ x: box.right, y: box.top }).x };
    });
  }

  private keep(): void {
    if (this.pulses.length === 0) return;
    this.sigma.scheduleRender();
    if (STILL.matches) {
      // Nothing moves: shown as they are, and gone after a while.
      setTimeout(() => this.sigma.scheduleRender(), PULSE_MS + 50);
      return;
    }
    requestAnimationFrame(() => this.keep());
  }

  private draw(): void {
    const { width, height } = this.sigma.getDimensions();
    this.context.clearRect(0, 0, width, height);
    for (const plate of this.plates) this.plate(plate);
    for (const name of this.sigma.getGraph().nodes()) this.doubt(name);
    const now = performance.now();
    this.pulses = this.pulses.filter((one) => now - one.born < PULSE_MS);
    for (const one of this.pulses) this.one(one, STILL.matches ? 0.3 : (now - one.born) / PULSE_MS);
    this.context.globalAlpha = 1;
  }

  private plate({ box }: Plate): void {
    const { block } = palette();
    const a = this.sigma.graphToViewport({ x: box.left, y: box.top });
    const b = this.sigma.graphToViewport({ x: box.right, y: box.bottom });
    this.context.fillStyle = block;
    this.context.beginPath();
    this.context.roundRect(a.x, a.y, b.x - a.x, b.y - a.y, 14);
    this.context.fill();
  }

  /** A ring around what is not certain: dashed around a guess, red around what is disputed. */
  private doubt(name: string): void {
    const { mark } = (this.sigma.getNodeDisplayData(name) ?? {}) as { mark?: "guess" | "disputed" | null };
    const at = mark ? this.place(name) : null;
    if (at === null) return;
    const { quiet, gone } = palette();
    const guess = mark === "guess";
    this.context.strokeStyle = guess ? quiet : gone;
    this.context.lineWidth = guess ? 1.5 : 2;
    this.context.setLineDash(guess ? [3, 3] : []);
    this.context.beginPath();
    this.context.arc(at.x, at.y, at.size + 3.5, 0, 2 * Math.PI);
    this.context.stroke();
    this.context.setLineDash([]);
  }

  private one(pulse: Pulse, part: number): void {
    const colours = palette();
    this.context.globalAlpha = 1 - part;
    if (pulse.kind === "node") {
      const at = this.place(pulse.name);
      if (at === null) return;
      this.context.strokeStyle = colours[pulse.colour];
      this.context.lineWidth = 3;
      this.context.beginPath();
      this.context.arc(at.x, at.y, at.size + 4 + 18 * part, 0, 2 * Math.PI);
      this.context.stroke();
      return;
    }
    const [from, to] = [this.place(pulse.src), this.place(pulse.dst)];
    if (from === null || to === null) return;
    this.context.strokeStyle = colours[pulse.colour];
    this.context.lineWidth = pulse.colour === "gone" ? 1.5 : 2;
    this.context.setLineDash(pulse.colour === "gone" ? [4, 4] : []);
    this.context.beginPath();
    this.context.moveTo(from.x, from.y);
    this.context.lineTo(to.x, to.y);
    this.context.stroke();
    this.context.setLineDash([]);
  }

  private place(name: string): { x: number; y: number; size: number } | null {
    const data = this.sigma.getNodeDisplayData(name);
    if (!data) return null;
    return { ...this.sigma.framedGraphToViewport(data), size: this.sigma.scaleSize(data.size) };
  }
}
