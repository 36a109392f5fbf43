// Fewer arcs while something moves: without a graphics card thousands of wide arcs take half a
// second to draw, so the strongest alone follow the hand, and the others come back at rest.
import type Sigma from "sigma";
import { EdgeRectangleProgram, type EdgeProgramType } from "sigma/rendering";
import type { RenderParams } from "sigma/types";

const KEPT = 300; // arcs that are drawn at any time: the strongest
const REST_MS = 300; // without a movement, until all are drawn again

export const STRONG = "strong";
export const WEAK = "weak";

/** Of arcs those that are drawn at any time: wide ones that stay within their block. */
export function strongest<A extends { size: number; across: boolean }>(arcs: A[]): Set<A> {
  const worth = ({ size, across }: A) => (across ? 0.3 : 1) * size;
  return new Set([...arcs].sort((a, b) => worth(b) - worth(a)).slice(0, KEPT));
}

export class Detail {
  private sigma: Sigma | null = null;
  private moves = false;
  private until = 0;
  private timer = 0;

  /** What draws arcs: the weak ones beneath the others, and only at rest. */
  programs(): Record<string, EdgeProgramType> {
    const moves = () => this.moves;
    class Weak extends EdgeRectangleProgram {
      override render(params: RenderParams): void {
        if (!moves()) super.render(params);
      }
    }
    return { [WEAK]: Weak, [STRONG]: EdgeRectangleProgram };
  }

  attach(sigma: Sigma): void {
    this.sigma = sigma;
    sigma.getCamera().on("updated", () => this.stir());
  }

  /** Something moves, and will for so many milliseconds at least. */
  stir(for_ms = 0): void {
    this.until = Math.max(this.until, performance.now() + for_ms + REST_MS);
    this.moves = true;
    if (this.timer === 0) this.wait();
  }

  close(): void {
    clearTimeout(this.timer);
    this.sigma = null;
  }

  private wait(): void {
    // Two frames later, since a slow frame alone must not be taken for rest.
    const later = () => requestAnimationFrame(() => requestAnimationFrame(() => this.rest()));
    this.timer = window.setTimeout(later, Math.max(50, this.until - performance.now()));
  }

  private rest(): void {
    this.timer = 0;
    const held = this.sigma?.getMouseCaptor().isMouseDown ?? false;
    if (held || performance.now() < this.until) {
      this.wait();
      return;
    }
    this.moves = false;
    this.sigma?.scheduleRender();
  }
}
