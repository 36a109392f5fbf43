// Words beside nodes: on a rim of the ground, so that they can be read over arcs, and never on each
// other. Sigma asks for them one by one; they are placed once all of a frame are known, those of
// the strongest nodes first, and what finds no place is left out.
import { NodeSquareProgram } from "@sigma/node-square";
import type Sigma from "sigma";
import type { NodeProgramType } from "sigma/rendering";
import type { NodeDisplayData, PartialButFor } from "sigma/types";

import { palette } from "./colours";
import { type Rect, Room } from "./room";

type Named = PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color"> & { key?: string; kind?: string };

/** The name of a block, and what lies in it; `top` and `left` of the block in pixels. */
export interface Heading { title: string; about: string; left: number; top: number; right: number }

const LENGTHS = [64, 40, 26]; // letters of words that are wanted: the most that fit
const SHORT = [32, 20]; // of others
const FACTS = 2; // how much larger a name is than a fact that is named before it: facts tell names too
const LESSER = 0.7; // of a node's size: others below it may lie beneath its words
const FONT = "12px system-ui, sans-serif";
const BOLD = `600 ${FONT}`;
const LINE = 16; // pixels from line to line
const WIDEST = 260; // pixels of a line on a plate

function cut(words: string, most: number): string {
  return words.length > most ? `${words.slice(0, most - 1).trimEnd()}…` : words;
}

export class Labels {
  private sigma: Sigma | null = null;
  private wanted: Named[] = [];
  private plates = new Map<string, Rect>();
  private placed = new Map<string, Rect>();
  private made: Room | null = null;

  constructor(private readonly headings: () => Heading[]) {}

  attach(sigma: Sigma): void {
    this.sigma = sigma;
    sigma.on("beforeRender", () => this.begin());
    sigma.on("afterRender", () => this.draw());
  }

  /** Squares that are named as circles are. */
  square(): NodeProgramType {
    const { label, hover } = this;
    return class extends NodeSquareProgram {
      override drawLabel = label as NodeSquareProgram["drawLabel"];
      override drawHover = hover as NodeSquareProgram["drawHover"];
    } as NodeProgramType;
  }

  /** Where words stand now, by node, in pixels of the canvas. */
  seen(): Record<string, Rect> {
    return Object.fromEntries([...this.placed, ...this.plates]);
  }

  readonly label = (_: CanvasRenderingContext2D, data: Named): void => {
    if (data.label) this.wanted.push(data);
  };

  /** A label on a plate of the page's own colours: sigma's is white in the dark too. */
  readonly hover = (context: CanvasRenderingContext2D, data: Named): void => {
    const { ink, plate } = palette();
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.strokeStyle = ink;
    context.lineWidth = 2;
    context.stroke();
    if (!data.label) return;
    context.font = FONT;
    const { width } = this.sigma!.getDimensions();
    const lines = wrapped(context, cut(data.label, LENGTHS[0]!), Math.min(WIDEST, width - 40));
    const wide = Math.max(...lines.map((line) => context.measureText(line).width));
    const key = data.key ?? "";
    // Sigma draws plates again without the rest where only the pointer moved: where it was, it stays.
    const rect = this.plates.get(key) ?? this.room.anyhow(data, wide + 10, LINE * lines.length + 6, 6);
    if (!this.plates.has(key)) this.room.take(rect);
    this.plates.set(key, rect);
    context.fillStyle = plate;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(rect.left, rect.top, rect.right - rect.left, rect.bottom - rect.top, 5);
    context.fill();
    context.stroke();
    context.fillStyle = ink;
    for (const [n, line] of lines.entries()) context.fillText(line, rect.left + 5, rect.top + 15 + LINE * n);
  };

  /** A new frame: nothing is placed. */
  private begin(): void {
    this.wanted = [];
    this.plates.clear();
    this.placed.clear();
    this.made = null;
  }

  /** What is free beside the headings and the nodes: looked at once they are where they are in this frame. */
  private get room(): Room {
    if (this.made !== null) return this.made;
    const sigma = this.sigma!;
    const { width, height } = sigma.getDimensions();
    this.made = new Room(width, height);
    for (const { left, top, right } of this.headings()) this.made.take({ left: left + 8, right: right - 8, top: top + 6, bottom: top + 27 });
    sigma.getGraph().forEachNode((name) => {
      const data = sigma.getNodeDisplayData(name);
      if (data && !data.hidden) this.made!.stand({ ...sigma.framedGraphToViewport(data), size: sigma.scaleSize(data.size) });
    });
    return this.made;
  }

  private draw(): void {
    const context = this.sigma!.getCanvases().labels!.getContext("2d")!;
    for (const heading of this.headings()) head(context, heading);
    const worth = ({ forceLabel, zIndex = 0, size, kind }: Named) =>
      (forceLabel ? 1000 : 0) + 100 * Math.max(0, zIndex) + size + (kind === "fact" ? FACTS : 0);
    for (const data of this.wanted.sort((a, b) => worth(b) - worth(a))) {
      if (!this.plates.has(data.key ?? "")) this.write(context, data);
    }
  }

  private write(context: CanvasRenderingContext2D, data: Named): void {
    const { ground, ink } = palette();
    context.font = FONT;
    const forms = [...new Set((data.forceLabel ? LENGTHS : SHORT).map((most) => cut(data.label!, most)))];
    const tried = (least: number) => {
      for (const words of forms) {
        const rect = this.room.beside(data, context.measureText(words).width, LINE, 4, least);
        if (rect !== null) return { words, rect };
      }
      return null;
    };
    const found = tried(0) ?? tried(data.forceLabel ? Infinity : LESSER * data.size);
    if (found === null) return;
    const { words, rect } = found;
    this.room.take(rect);
    this.placed.set(data.key ?? "", rect);
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = `rgb(${ground.join(" ")} / 85%)`;
    context.fillStyle = ink;
    context.strokeText(words, rect.left, rect.top + 12);
    context.fillText(words, rect.left, rect.top + 12);
  }
}

/** A block's heading, over the arcs that run through it. */
function head(context: CanvasRenderingContext2D, { title, about, left, top, right }: Heading): void {
  const { block, quiet } = palette();
  context.font = FONT;
  const rest = context.measureText(about).width;
  context.font = BOLD;
  const wide = context.measureText(title).width;
  const told = wide + rest + 36 < right - left;
  context.fillStyle = block;
  context.globalAlpha = 0.9;
  context.beginPath();
  context.roundRect(left + 8, top + 6, wide + 12 + (told ? rest + 8 : 0), 21, 6);
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = quiet;
  context.fillText(title, left + 14, top + 20);
  context.font = FONT;
  if (told) context.fillText(about, left + wide + 22, top + 20);
}

/** Words in lines no wider than so many pixels; a word that is wider is cut. */
function wrapped(context: CanvasRenderingContext2D, words: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(/\s+/)) {
    const longer = lines.length > 0 ? `${lines.at(-1)!} ${word}` : word;
    if (lines.length > 0 && context.measureText(longer).width <= most) lines[lines.length - 1] = longer;
    else lines.push(fitted(context, word, most));
  }
  return lines;
}

function fitted(context: CanvasRenderingContext2D, word: string, most: number): string {
  let shown = word;
  while (shown.length > 1 && context.measureText(shown).width > most) shown = cut(word, shown.length - 1);
  return shown;
}
