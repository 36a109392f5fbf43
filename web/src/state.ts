// What the page knows, as signals, and how it learns it.
import { batch, computed, effect, signal } from "@preact/signals";

import {
  type Change, type Memories, Memory, type Named, type NodeCard, type Neighbour, type Picture, Problem,
  type RegionMap, type Stats, type When, memories,
} from "./api";
import { pageOf } from "./regions";

export const WHOLE = 2000; // nodes up to which a memory is drawn whole, and not by its regions

export type Tab = "chat" | "graph" | "node" | "history"; // the graph: where it has no place of its own
export type Place = "memory" | "game";

export const known = signal<Memories | null>(null);
export const memory = signal<Memory | null>(null);
export const stats = signal<Stats | null>(null);
export const picture = signal<Picture | null>(null);
export const map = signal<RegionMap | null>(null);
export const region = signal<number | null>(null);
export const regionPage = signal(0); // of the regions, the largest first
export const asOf = signal<number | null>(null); // seconds; null is now
export const recordedAsOf = signal<number | null>(null);
export const changes = signal<Change[]>([]);
export const landed = signal<Change[]>([]); // that came and were not yet shown in the graph
export const chosen = signal<{ node: NodeCard; beside: Neighbour[] } | null>(null);
export const sought = signal(""); // the words of a search
export const found = signal<Named[] | null>(null); // what it found
export const shown = signal<Set<number>>(new Set()); // found by a search, or told by a diff
export const notice = signal<{ kind: "error" | "done"; text: string } | null>(null);
export const needsKey = signal(false);
export const cut = signal(false); // the line to the server is cut
export const empty = signal(false); // there is no memory of that name yet
export const tab = signal<Tab>("chat");
export const narrow = signal(false); // one thing at a time is all there is room for
const NARROW = matchMedia("(max-width: 700px)");
const fits = () => (narrow.value = NARROW.matches);
NARROW.addEventListener("change", fits);
fits();
export const place = signal<Place>("memory");

const seq = computed(() => stats.value?.seq ?? null);
export const total = computed(() => sum(stats.value?.nodes));
/** Whether regions stand for their nodes: a large memory, and none of them chosen. */
export const byRegion = computed(
  () => region.value === null && total.value > WHOLE && (map.value?.regions.length ?? 0) > 1,
);
/** The regions that are shown: a page of them. */
export const seenMap = computed(() => (map.value === null ? null : pageOf(map.value, regionPage.value)));
/** The moment that is looked at, as the server takes it. */
export const when = computed<When>(() => ({ as_of: iso(asOf.value), recorded_as_of: iso(recordedAsOf.value) }));
export const past = computed(() => asOf.value !== null || recordedAsOf.value !== null);

/** Do something and say what went wrong, in the server's words. */
export async function tried<T>(what: () => Promise<T>): Promise<T | undefined> {
  try {
    const done = await what();
    if (notice.value?.kind === "error") notice.value = null;
    return done;
  } catch (failure) {
    wrong(failure);
    return undefined;
  }
}

function wrong(failure: unknown): void {
  if (!(failure instanceof Problem)) throw failure;
  if (failure.status === 401) needsKey.value = true;
  else notice.value = { kind: "error", text: failure.message };
}

export async function begin(): Promise<void> {
  await tried(async () => {
    known.value = await memories();
    needsKey.value = false;
    const wanted = new URLSearchParams(location.search).get("memory");
    await open(wanted ?? known.value.memories[0] ?? "default");
  });
}

let follower: AbortController | null = null;

export async function open(name: string): Promise<void> {
  follower?.abort();
  batch(() => {
    memory.value = new Memory(name);
    picture.value = map.value = stats.value = chosen.value = null;
    region.value = asOf.value = recordedAsOf.value = null;
    regionPage.value = 0;
    changes.value = landed.value = [];
    sought.value = "";
    empty.value = cut.value = false;
    tab.value = "chat";
  });
  history.replaceState(null, "", `?memory=${encodeURIComponent(name)}`);
  // Of the names that begin with this one it is the first, if there is such a memory.
  const there = await tried(async () => (await memories(name)).memories[0] === name);
  if (memory.value?.name !== name || there === undefined) return;
  if (there) await refresh();
  else empty.value = true;
  follow();
}

/** Take in that a memory was made: from now on its changes come by themselves. */
export async function born(): Promise<void> {
  await refresh();
  follow();
}

function follow(): void {
  const of = memory.value;
  if (of === null || stats.value === null) return;
  follower?.abort();
  follower = new AbortController();
  void of.follow(stats.value.seq, { change: land, line }, follower.signal);
}

function land(change: Change): void {
  changes.value = [change, ...changes.value].slice(0, 200);
  landed.value = [...landed.value, change].slice(-20);
  soon();
}

function line(problem: Problem | null): void {
  const was = cut.value;
  cut.value = problem !== null && problem.status === 0;
  if (problem?.status === 401) needsKey.value = true;
  if (problem?.status === 404) notice.value = { kind: "error", text: problem.message };
  if (was && problem === null) soon();
}

let waiting = 0;
/** Draw anew, once for several changes that come together. */
export function soon(): void {
  clearTimeout(waiting);
  waiting = window.setTimeout(() => void refresh(), 120);
}

/** Look again at everything that is shown. */
export async function refresh(): Promise<void> {
  const of = memory.value;
  if (of === null) return;
  try {
    const counts = await of.stats();
    if (memory.value !== of) return;
    const large = sum(counts.nodes) > WHOLE && region.value === null;
    if (large) {
      const found = await of.regions();
      const whole = found.regions.length > 1 ? null : await of.picture({ most: WHOLE, ...when.value });
      show(of, counts, whole, found);
    } else {
      const drawn = await of.picture({ most: WHOLE, region: region.value, ...when.value });
      show(of, counts, drawn, null);
      // Only names of what is drawn already: asked for after it.
      const found = await of.regions();
      if (memory.value === of) map.value = found;
    }
    await newest(of, counts.seq);
  } catch (failure) {
    if (failure instanceof Problem && failure.status === 404 && region.value !== null) region.value = null;
    else if (failure instanceof Problem && failure.status === 404) empty.value = true;
    else if (!(failure instanceof Problem && failure.status === 0 && cut.value)) wrong(failure);
  }
}

function show(of: Memory, counts: Stats, drawn: Picture | null, regions: RegionMap | null): void {
  if (memory.value !== of) return;
  batch(() => {
    stats.value = counts;
    empty.value = false;
    if (drawn !== null) picture.value = drawn;
    if (regions !== null) map.value = regions;
  });
}

async function newest(of: Memory, seq: number): Promise<void> {
  if (changes.value.length > 0 || seq === 0) return;
  const found = await of.changes(Math.max(0, seq - 50), 50).catch(() => []); // folded away
  if (memory.value === of && changes.value.length === 0) changes.value = found.reverse();
}

let turned = 0;

/** Turn to a panel by hand: what was asked for before does not turn away from it when it comes. */
export function turn(to: Tab): void {
  turned += 1;
  tab.value = to;
}

/** Look at a node closely (null: at none); `card`: show its card. */
export async function choose(id: number | null, card = true): Promise<void> {
  const of = memory.value;
  const before = turned;
  if (id === null || of === null) {
    chosen.value = null;
    if (tab.value === "node") tab.value = "chat";
    return;
  }
  await tried(async () => {
    const [node, beside] = await Promise.all([of.node(id), of.neighbours(id)]);
    batch(() => {
      chosen.value = { node, beside };
      if (card && turned === before) tab.value = "node";
    });
  });
}

export function sum(counts: Record<string, number> | undefined): number {
  return Object.values(counts ?? {}).reduce((all, n) => all + n, 0);
}

export function iso(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}

effect(() => {
  // What was found is of this memory as it is, at the time that is looked at: sought anew where that changes.
  const [of, words, at] = [memory.value, sought.value, when.value];
  if (of === null || words === "" || seq.value === null) {
    found.value = null;
    return;
  }
  void tried(async () => {
    const now = await of.search(words, at);
    if (memory.value === of && sought.value === words) found.value = now;
  });
});

effect(() => {
  shown.value = new Set(found.value?.map(({ id }) => id));
});

effect(() => {
  // A region or a moment that is chosen is another picture.
  void [region.value, asOf.value, recordedAsOf.value];
  if (memory.peek() !== null && stats.peek() !== null) soon();
});
