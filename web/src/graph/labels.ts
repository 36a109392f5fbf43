// Words beside nodes: on a rim of the ground, so that they can be read over arcs.
import type { NodeDisplayData, PartialButFor } from "sigma/types";

import { palette } from "./colours";

type Named = PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">;
const SHORT = 26;
const LONG = 64;
const FONT = "12px system-ui, sans-serif";

function cut(words: string, most: number): string {
  return words.length > most ? `${words.slice(0, most - 1).trimEnd()}…` : words;
}

export function label(context: CanvasRenderingContext2D, data: Named): void {
  if (!data.label) return;
  const { ground, ink } = palette();
  context.font = FONT;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = `rgb(${ground.join(" ")} / 85%)`;
  context.fillStyle = ink;
  const words = cut(data.label, data.forceLabel ? LONG : SHORT);
  const width = context.measureText(words).width;
  const [x, y] = [beside(context, data, width, data.size + 4), data.y + 4];
  context.strokeText(words, x, y);
  context.fillText(words, x, y);
}

/** Where words of a width begin: right of their node, or left of it where the right is too narrow. */
function beside(context: CanvasRenderingContext2D, data: Named, width: number, off: number): number {
  const room = context.canvas.width / (window.devicePixelRatio || 1);
  const fits = data.x + off + width + 4 <= room;
  return fits ? data.x + off : Math.max(4, data.x - off - width);
}

/** A label on a plate of the page's own colours: sigma's is white in the dark too. */
export function hover(context: CanvasRenderingContext2D, data: Named): void {
  const { ink, plate } = palette();
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
  context.strokeStyle = ink;
  context.lineWidth = 2;
  context.stroke();
  if (!data.label) return;
  context.font = FONT;
  const words = cut(data.label, LONG);
  const width = context.measureText(words).width;
  const left = beside(context, data, width + 8, data.size + 6);
  context.fillStyle = plate;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(left - 2, data.y - 11, width + 10, 22, 5);
  context.fill();
  context.stroke();
  context.fillStyle = ink;
  context.fillText(words, left + 3, data.y + 4);
}
