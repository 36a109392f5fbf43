// The graph on a canvas: sigma draws, graphology holds, the blocks lay out a little each frame.
//
// Episodes are squares in a block of their own, what is known circles in another; colour is the
// region, width the weight, and what decays fades.
import Graph from "graphology";
import Sigma from "sigma";
import { NodeCircleProgram } from "sigma/rendering";

import type { Arc, Change, Picture, RegionMap, Trail } from "../api";
import { OTHERS, titled } from "../regions";
import { DARK, STILL, palette, shade, tint } from "./colours";
import { Detail, STRONG, WEAK, strongest } from "./detail";
import { Ground, PULSE_MS } from "./ground";
import { Labels } from "./labels";
import { Block, type Box, inset } from "./layout";
import { type Data, drawn, line, looks } from "./looks";
import { type Seen, seen } from "./seen";

const FRAMES = 140; // of layout after nodes came
const FEW = 40; // after arcs changed
const BUDGET_MS = 9; // of layout in a frame
const LEVEL = 0.3; // of the way, how far nodes are drawn to the height of what they hang together with
const CROWD = 400; // nodes from which one of them is looked at from near by
const NAMED = 14; // regions that are named in any case, the others where there is room
const MARGIN = 12;

export interface Marks {
  chosen: number | null;
  lit: Trail[];
  found: Set<number>;
}

export class View {
  readonly graph = new Graph({ multi: true, type: "directed" });
  private readonly sigma: Sigma;
  private readonly ground: Ground;
  private readonly detail = new Detail();
  private readonly labels = new Labels(() => this.ground.headings());
  private readonly episodes = new Block();
  private readonly known = new Block();
  private crossing: { a: string; b: string; weight: number }[] = []; // from block to block
  private frames = 0;
  private settling = false;
  private marks: Marks = { chosen: null, lit: [], found: new Set() };
  private lit = new Map<string, number>();
  private steps = new Set<string>(); // arcs of the path, "src dst"
  private near: Set<string> | null = null; // a node under the pointer and those beside it
  private focus: string | null = null; // the node that the keyboard is at
  private readonly watch = new ResizeObserver(() => this.fit());
  onDrawn: (() => void) | null = null;

  constructor(private readonly place: HTMLElement, onChoose: (name: string | null) => void) {
    this.sigma = new Sigma(this.graph, place, {
      allowInvalidContainer: true,
      defaultNodeType: "circle",
      defaultEdgeType: STRONG,
      edgeProgramClasses: this.detail.programs(),
      nodeProgramClasses: { circle: NodeCircleProgram, square: this.labels.square() },
      labelDensity: 6,
      labelGridCellSize: 110,
      labelRenderedSizeThreshold: 4,
      defaultDrawNodeLabel: this.labels.label,
      defaultDrawNodeHover: this.labels.hover,
      stagePadding: 0,
      zIndex: true,
      minCameraRatio: 0.02,
      maxCameraRatio: 3,
      nodeReducer: (name, data) => this.node(name, data),
      edgeReducer: (name, data) => this.edge(name, data),
    });
    this.ground = new Ground(this.sigma);
    this.detail.attach(this.sigma);
    this.labels.attach(this.sigma);
    this.sigma.on("clickNode", ({ node }) => onChoose(node));
    this.sigma.on("clickStage", () => onChoose(null));
    this.sigma.on("enterNode", ({ node }) => this.beside(node));
    this.sigma.on("leaveNode", () => this.beside(null));
    this.sigma.on("afterRender", () => this.onDrawn?.());
    DARK.addEventListener("change", this.recolour);
    this.watch.observe(place);
    this.fit();
  }

  /** Let go of the canvas and of everything that is listened to. */
  close(): void {
    this.frames = 0;
    this.detail.close();
    this.watch.disconnect();
    DARK.removeEventListener("change", this.recolour);
    this.sigma.kill();
  }

  /** Show nodes and arcs; what was there keeps its place. */
  draw(seen: Picture): void {
    const wanted = new Map(seen.dots.map((dot) => [String(dot.id), dot]));
    this.graph.forEachNode((name) => {
      if (!wanted.has(name)) this.graph.dropNode(name);
    });
    for (const [name, dot] of wanted) {
      if (this.graph.hasNode(name)) this.graph.mergeNodeAttributes(name, looks(dot));
      else this.graph.addNode(name, { ...looks(dot), x: 0, y: 0 });
    }
    this.graph.clearEdges();
    const arcs = seen.lines.filter((arc) => wanted.has(String(arc.src)) && wanted.has(String(arc.dst)));
    const episodic = (id: number | string) => wanted.get(String(id))!.kind === "episode";
    const lines = drawn(arcs).map((arc) => {
      const across = episodic(arc.src) !== episodic(arc.dst);
      return { ...line({ ...arc, across }), src: String(arc.src), dst: String(arc.dst), kind: arc.kind, weight: arc.weight, across };
    });
    const strong = strongest(lines);
    for (const one of lines) {
      const { src, dst, ...looks } = one;
      this.graph.addEdge(src, dst, { ...looks, type: strong.has(one) ? STRONG : WEAK });
    }
    this.arrange();
    const pulls = arcs
      .filter(({ src, dst }) => src !== dst)
      .map(({ src, dst, weight }) => ({ a: String(src), b: String(dst), weight: Math.max(0.05, weight) }));
    this.crossing = pulls.filter(({ a, b }) => episodic(a) !== episodic(b));
    const held = (block: Block, which: boolean) => block.hold(
      new Map(seen.dots.filter((dot) => episodic(dot.id) === which).map((dot) => [String(dot.id), dot.region])),
      pulls.filter(({ a, b }) => episodic(a) === which && episodic(b) === which),
    );
    const added = held(this.episodes, true) + held(this.known, false);
    this.settle(added > 0 ? FRAMES : FEW, added === this.graph.order);
  }

  /** Show regions as nodes: the way into a memory that is too large to be seen at once. */
  drawRegions(map: RegionMap): void {
    this.graph.clear();
    this.episodes.clear();
    this.crossing = [];
    const most = Math.max(1, ...map.regions.filter(({ id }) => id !== OTHERS).map(({ size }) => size));
    for (const [place, region] of map.regions.entries()) {
      this.graph.addNode(`region ${region.id}`, {
        label: titled(region), kind: "region", type: "circle", region: Math.max(0, region.id),
        size: 5 + 24 * Math.sqrt(Math.min(1.2, region.size / most)), color: shade(Math.max(0, region.id), "theme", 0.9), x: 0, y: 0,
        forceLabel: place < NAMED || region.id === OTHERS,
      });
    }
    const links = map.links.filter((link) => [link.a, link.b].every((id) => this.graph.hasNode(`region ${id}`)));
    const heaviest = Math.max(1e-9, ...links.map((link) => link.weight));
    const arcs = links.slice(0, 500).map((link) => ({
      a: `region ${link.a}`, b: `region ${link.b}`, weight: link.weight / heaviest,
    }));
    for (const { a, b, weight } of arcs) {
      this.graph.addEdge(a, b, {
        kind: "link", weight, size: 0.5 + 5 * weight, color: tint(265, 40, 0.15 + 0.5 * weight), zIndex: 0,
      });
    }
    this.arrange();
    const names = new Map(map.regions.map((region) => [`region ${region.id}`, region.id]));
    this.settle(FRAMES, this.known.hold(names, arcs) === names.size);
  }

  mark(marks: Marks): void {
    this.marks = marks;
    this.lit.clear();
    this.steps.clear();
    for (const hit of marks.lit) {
      for (const one of hit.path) {
        this.steps.add(`${one.src} ${one.dst}`).add(`${one.dst} ${one.src}`);
        for (const name of [String(one.src), String(one.dst)]) if (!this.lit.has(name)) this.lit.set(name, 1);
      }
      if (hit.anchor && !this.lit.has(String(hit.anchor))) this.lit.set(String(hit.anchor), 1);
      this.lit.set(String(hit.id), 2);
    }
    this.sigma.refresh({ skipIndexation: true });
  }

  /** Let what a change made, touched and removed be seen. */
  pulse(change: Change): void {
    if (!STILL.matches) this.detail.stir(PULSE_MS);
    this.ground.pulse(change, performance.now());
  }

  /** Let a node be seen: in a crowd from near by, else the view stays unless it is out of it. */
  look(name: string): void {
    const at = this.sigma.getNodeDisplayData(name);
    if (!at || this.place.clientWidth === 0) return;
    const { x, y } = this.sigma.framedGraphToViewport(at);
    const camera = this.sigma.getCamera();
    const inside = x > 20 && y > 20 && x < this.place.clientWidth - 60 && y < this.place.clientHeight - 20;
    const ratio = this.graph.order > CROWD ? Math.min(0.5, camera.ratio) : camera.ratio;
    if (inside && ratio === camera.ratio) return;
    void camera.animate({ x: at.x, y: at.y, ratio }, { duration: STILL.matches ? 1 : 400 });
  }

  whole(): void {
    void this.sigma.getCamera().animate({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }, { duration: STILL.matches ? 1 : 300 });
  }

  zoom(by: number): void {
    const camera = this.sigma.getCamera();
    void camera.animate({ ratio: camera.getBoundedRatio(camera.ratio / by) }, { duration: STILL.matches ? 1 : 150 });
  }

  /** What is drawn now, for whoever measures. */
  seen(): Seen {
    return seen(this.sigma, this.labels.seen());
  }

  /** Whether a node is drawn under that name. */
  has(name: string): boolean {
    return this.graph.hasNode(name);
  }

  /** Let the keyboard stand at a node (null: at none). */
  stand(name: string | null): void {
    this.focus = name;
    this.beside(name);
  }

  /** The nearest node in a direction of the screen from one, or the strongest where it is at none. */
  next(from: string | null, dx: number, dy: number): string | null {
    const there = from === null ? undefined : this.sigma.getNodeDisplayData(from);
    let best: [number, string] | null = null;
    for (const name of this.graph.nodes()) {
      if (name === from) continue;
      const at = this.sigma.getNodeDisplayData(name);
      if (!at || at.hidden) continue;
      if (!there) {
        if (best === null || at.size > best[0]) best = [at.size, name];
        continue;
      }
      const [x, y] = [at.x - there.x, -(at.y - there.y)];
      const [along, aside] = [x * dx + y * dy, Math.abs(x * dy - y * dx)];
      if (along <= 0) continue;
      const far = along + 2 * aside;
      if (best === null || far < best[0]) best = [far, name];
    }
    return best?.[1] ?? null;
  }

  /** What a node is called, for whoever cannot see it. */
  words(name: string): string {
    const { label: said, kind } = this.graph.getNodeAttributes(name);
    const beside = this.graph.degree(name);
    return `${String(kind)}: ${String(said)}, ${beside} ${beside === 1 ? "arc" : "arcs"}`;
  }

  private beside(name: string | null): void {
    this.near = name === null || !this.graph.hasNode(name) ? null : new Set([name, ...this.graph.neighbors(name)]);
    this.sigma.refresh({ skipIndexation: true });
  }

  private node(name: string, data: Data): Data {
    const id = Number(name);
    const lit = this.lit.get(name);
    const colours = palette();
    const shown: Data = { ...data };
    const dim = (this.lit.size > 0 && lit === undefined) || (this.near !== null && !this.near.has(name));
    if (dim) Object.assign(shown, { color: tint(220, 6, 0.22), label: "", forceLabel: false, mark: null });
    if (lit === 1) Object.assign(shown, { color: colours.step, zIndex: 2 });
    if (lit === 2) Object.assign(shown, { color: colours.lit, zIndex: 3, forceLabel: true });
    if (lit) shown.label = data.label;
    if (this.near?.has(name)) Object.assign(shown, { label: data.label, forceLabel: this.near.size < 14 });
    if (this.marks.found.has(id)) Object.assign(shown, { highlighted: true, label: data.label, zIndex: 2 });
    if (id === this.marks.chosen || name === this.focus) {
      Object.assign(shown, { highlighted: true, label: data.label, zIndex: 4 });
    }
    return shown;
  }

  private edge(name: string, data: Data): Data {
    if (this.lit.size === 0 && this.near === null) return data;
    const [src, dst] = this.graph.extremities(name);
    if (this.lit.size > 0) {
      const on = this.steps.has(`${src} ${dst}`);
      return on ? { ...data, type: STRONG, color: palette().step, size: 3.5, zIndex: 2 } : { ...data, color: tint(220, 5, 0.08), zIndex: 0 };
    }
    const beside = this.focusOrHover(src, dst);
    return beside ? { ...data, type: STRONG, color: tint(265, 60, 0.9), zIndex: 2 } : { ...data, color: tint(220, 5, 0.07), zIndex: 0 };
  }

  private focusOrHover(src: string, dst: string): boolean {
    const [middle] = this.near!;
    return src === middle || dst === middle;
  }

  private readonly recolour = (): void => {
    this.graph.updateEachNodeAttributes((_, data) => ({ ...data, color: shade(data.region, data.kind, data.faded ?? 0.9) }));
    this.graph.updateEachEdgeAttributes((_, data) => (data.kind === "link" ? data : { ...data, ...line(data as Arc & { across: boolean }) }));
    this.sigma.refresh();
  };

  /** Boxes as large as the place: side by side where it is wide, else one over the other. */
  private fit(): void {
    if (this.place.clientWidth === 0) return;
    this.arrange();
    this.move(true);
    this.sigma.resize();
    this.sigma.refresh(); // which words are wanted depends on the room
  }

  private arrange(): void {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (width === 0 || height === 0) return;
    const unit = 1 / height; // graph units in a pixel
    const aspect = width / height;
    this.sigma.setCustomBBox({ x: [0, aspect], y: [0, 1] });
    const [left, right, bottom, top] = [MARGIN * unit, aspect - MARGIN * unit, MARGIN * unit, 1 - MARGIN * unit];
    const whole: Box = { left, right, bottom, top };
    if (this.graph.order === 0) {
      this.ground.plates = [];
      return;
    }
    const gap = 14 * unit;
    if (this.graph.someNode((_, { kind }) => kind === "region")) {
      this.ground.plates = [{ title: "Regions", about: "open one to see what lies in it", box: whole }];
      this.known.box = inset(whole, unit);
      return;
    }
    const cut = aspect > 1 ? left + 0.4 * (right - left) : bottom + 0.58 * (top - bottom);
    const said: Box = aspect > 1 ? { ...whole, right: cut - gap / 2 } : { ...whole, bottom: cut + gap / 2 };
    const known: Box = aspect > 1 ? { ...whole, left: cut + gap / 2 } : { ...whole, top: cut - gap / 2 };
    this.ground.plates = [
      { title: "■ Episodes", about: "what was said, word for word", box: said },
      { title: "● Known", about: "people, things, facts, themes", box: known },
    ];
    this.episodes.box = inset(said, unit);
    this.known.box = inset(known, unit);
  }

  private settle(frames: number, anew: boolean): void {
    this.frames = Math.max(this.frames, frames);
    if (STILL.matches || anew) {
      // At first, and where nothing is to move, most of the way at once.
      this.layout(anew ? 250 : 60);
      if (STILL.matches) this.frames = 0;
    }
    // At once, so that nothing new is ever seen where it does not belong.
    this.move(STILL.matches || anew);
    if (!this.settling && this.frames > 0) {
      this.settling = true;
      requestAnimationFrame(() => this.frame());
    }
  }

  private frame(): void {
    if (this.frames <= 0) {
      this.settling = false;
      return;
    }
    this.detail.stir();
    this.layout(BUDGET_MS);
    this.move(false);
    this.frames -= 1;
    requestAnimationFrame(() => this.frame());
  }

  /** Iterate for so many milliseconds, so that a frame stays short however large the graph is. */
  private layout(budget_ms: number): void {
    const ends = performance.now() + budget_ms;
    const enough = budget_ms > 100 ? 300 : 4;
    for (let n = 0; n < enough && performance.now() < ends; n += 1) {
      this.episodes.run(1);
      this.known.run(1);
      if (n % 4 === 0) this.level();
    }
  }

  private level(): void {
    if (this.episodes.order === 0 || this.known.order === 0) return;
    const across = (from: Map<string, number>) => {
      const sums = new Map<string, [number, number]>();
      for (const { a, b, weight } of this.crossing) {
        for (const [one, other] of [[a, b], [b, a]] as const) {
          const height = from.get(other);
          if (height === undefined) continue;
          const [all, n] = sums.get(one) ?? [0, 0];
          sums.set(one, [all + weight * height, n + weight]);
        }
      }
      // Means lie closer together than what they are means of: spread again, or all would shrink.
      const means = [...sums].map(([name, [all, n]]) => [name, all / n] as const);
      const widest = Math.max(1e-9, ...means.map(([, mean]) => Math.abs(mean)));
      return new Map(means.map(([name, mean]) => [name, mean / widest]));
    };
    this.episodes.level(across(this.known.heights()), LEVEL);
    this.known.level(across(this.episodes.heights()), LEVEL / 2);
  }

  private move(jump: boolean): void {
    const places = new Map([...this.episodes.places(jump), ...this.known.places(jump)]);
    this.graph.updateEachNodeAttributes((name, data) => ({ ...data, ...places.get(name) }), { attributes: ["x", "y"] });
  }
}
