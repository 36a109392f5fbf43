// Where words go: beside their node, on no other words, and where there is room on no other node.

export interface Rect { left: number; top: number; right: number; bottom: number }
export interface Spot { x: number; y: number; size: number }

const CELL = 48; // pixels of the grid that nodes are found by
const EDGE = 4; // pixels between words and the rim of the canvas

/** The place that is left on a canvas, in its pixels. */
export class Room {
  private readonly taken: Rect[] = [];
  private readonly cells = new Map<string, Spot[]>();

  constructor(private readonly width: number, private readonly height: number) {}

  /** Let it be known that a node is there. */
  stand(spot: Spot): void {
    const cell = `${Math.floor(spot.x / CELL)} ${Math.floor(spot.y / CELL)}`;
    const there = this.cells.get(cell);
    if (there) there.push(spot);
    else this.cells.set(cell, [spot]);
  }

  take(rect: Rect): void {
    this.taken.push(rect);
  }

  /** The first place around a node for words so wide and high, free of nodes of `least` size on; or null. */
  beside(at: Spot, width: number, height: number, off: number, least = 0): Rect | null {
    return around(at, width, height, off).find((rect) => this.free(rect) && !this.covers(rect, at, least)) ?? null;
  }

  /** A place for what must be seen: a free one, else within the canvas and off its own node. */
  anyhow(at: Spot, width: number, height: number, off: number): Rect {
    const there = this.beside(at, width, height, off) ?? this.beside(at, width, height, off, Infinity);
    if (there !== null) return there;
    const right = Math.max(EDGE + width, Math.min(this.width - EDGE, at.x + width / 2));
    const below = at.y + at.size + off;
    const top = below + height + EDGE <= this.height ? below : at.y - at.size - off - height;
    return { left: right - width, right, top, bottom: top + height };
  }

  private free(rect: Rect): boolean {
    const inside = rect.left >= EDGE && rect.right <= this.width - EDGE && rect.top >= 0 && rect.bottom <= this.height;
    return inside && !this.taken.some((other) => meet(rect, other));
  }

  private covers(rect: Rect, own: Spot, least: number): boolean {
    if (least === Infinity) return false;
    // A node reaches into the cells beside its own.
    for (let x = Math.floor(rect.left / CELL) - 1; x <= Math.floor(rect.right / CELL) + 1; x += 1) {
      for (let y = Math.floor(rect.top / CELL) - 1; y <= Math.floor(rect.bottom / CELL) + 1; y += 1) {
        if (this.cells.get(`${x} ${y}`)?.some((spot) => spot.size >= least && !same(spot, own) && meet(rect, square(spot)))) return true;
      }
    }
    return false;
  }
}

/** Right of a node, left, above and below it, then towards the corners; nearest to the right first. */
function around({ x, y, size }: Spot, width: number, height: number, off: number): Rect[] {
  const far = size + off;
  const [middle, above, below] = [y - height / 2, y - far - height, y + far];
  const slant = 0.7 * size + off;
  const [up, down] = [y - slant - height + 3, y + slant - 3];
  const at = (left: number, top: number): Rect => ({ left, right: left + width, top, bottom: top + height });
  return [
    at(x + far, middle), at(x - far - width, middle), at(x - width / 2, above), at(x - width / 2, below),
    at(x + slant, up), at(x + slant, down), at(x - slant - width, up), at(x - slant - width, down),
  ];
}

function square({ x, y, size }: Spot): Rect {
  return { left: x - size, right: x + size, top: y - size, bottom: y + size };
}

function same(a: Spot, b: Spot): boolean {
  return a.x === b.x && a.y === b.y;
}

function meet(a: Rect, b: Rect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
