// What the page knows, as signals; the only place that changes it.
import { batch, computed, effect, signal } from "@preact/signals";

import {
  type Change, type Explanation, type Memories, Memory, type NodeCard, type Neighbour, type Picture,
  Problem, type RegionMap, type Reply, type Stats, memories,
} from "./api";

export const WHOLE = 2000; // nodes up to which a memory is drawn whole, and not by its regions
export const MOST = 2000;

export const known = signal<Memories | null>(null);
export const memory = signal<Memory | null>(null);
export const stats = signal<Stats | null>(null);
export const picture = signal<Picture | null>(null);
export const map = signal<RegionMap | null>(null);
export const region = signal<number | null>(null);
export const asOf = signal<number | null>(null); // seconds; null is now
export const recordedAsOf = signal<number | null>(null);
export const changes = signal<Change[]>([]);
export const chosen = signal<{ node: NodeCard; beside: Neighbour[] } | null>(null);
export const path = signal<Explanation | null>(null);
export const step = signal(0); // how many hits of the path are lit
export const fresh = signal<Set<number>>(new Set()); // touched by the newest change
export const notice = signal<{ kind: "error" | "done"; text: string } | null>(null);
export const needsKey = signal(false);
export const talk = signal<{ who: "you" | "memory"; text: string; reply?: Reply }[]>([]);
export const asleep = signal<string | null>(null); // what sleep is doing

/** Whether regions stand for their nodes: a large memory, and none of them chosen. */
export const byRegion = computed(
  () => region.value === null && (picture.value?.nodes ?? 0) > WHOLE && (map.value?.regions.length ?? 0) > 1,
);

/** Do something and say what went wrong, in the server's words. */
export async function tried<T>(what: () => Promise<T>): Promise<T | undefined> {
  try {
    const done = await what();
    if (notice.value?.kind === "error") notice.value = null;
    return done;
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    if (failure.status === 401) needsKey.value = true;
    notice.value = { kind: "error", text: failure.message };
    return undefined;
  }
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
    picture.value = map.value = stats.value = chosen.value = path.value = null;
    region.value = asOf.value = recordedAsOf.value = null;
    changes.value = [];
    talk.value = [];
  });
  history.replaceState(null, "", `?memory=${encodeURIComponent(name)}`);
  await refresh();
  follow();
}

function follow(): void {
  const of = memory.value;
  if (of === null || stats.value === null) return;
  follower = new AbortController();
  void of.follow(stats.value.seq, landed, follower.signal);
}

function landed(change: Change): void {
  changes.value = [change, ...changes.value].slice(0, 200);
  fresh.value = new Set([...change.added, ...change.changed]);
  if (change.kind === "sleep") asleep.value = null;
  soon();
}

let waiting = 0;
/** Draw anew, once for several changes that come together. */
function soon(): void {
  clearTimeout(waiting);
  waiting = window.setTimeout(() => void refresh(), 150);
}

/** Look again at everything that is shown. */
export async function refresh(): Promise<void> {
  const of = memory.value;
  if (of === null) return;
  try {
    const query = {
      most: MOST,
      region: region.value,
      as_of: iso(asOf.value),
      recorded_as_of: iso(recordedAsOf.value),
    };
    const [counts, drawn, regions] = await Promise.all([of.stats(), of.picture(query), of.regions()]);
    if (memory.value !== of) return;
    batch(() => {
      stats.value = counts;
      picture.value = drawn;
      map.value = regions;
    });
    if (changes.value.length === 0 && counts.seq > 0) {
      const newest = await of.changes(Math.max(0, counts.seq - 50), 50).catch(() => []);
      changes.value = newest.reverse();
    }
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    if (failure.status === 404) return; // no memory of that name yet: the first turn makes it
    if (failure.status === 401) needsKey.value = true;
    notice.value = { kind: "error", text: failure.message };
  }
}

export async function choose(id: number | null): Promise<void> {
  const of = memory.value;
  if (id === null || of === null) {
    chosen.value = null;
    return;
  }
  await tried(async () => {
    const [node, beside] = await Promise.all([of.node(id), of.neighbours(id)]);
    chosen.value = { node, beside };
  });
}

/** Light the path of an answer, hit by hit. */
export async function light(trace: string): Promise<void> {
  const of = memory.value;
  if (of === null) return;
  await tried(async () => {
    path.value = await of.explain(trace);
    step.value = 1;
  });
}

export async function say(text: string): Promise<void> {
  const of = memory.value;
  if (of === null || !text.trim()) return;
  const first = stats.value === null;
  talk.value = [...talk.value, { who: "you", text }, { who: "memory", text: "" }];
  const write = (words: string, reply?: Reply) => {
    talk.value = [...talk.value.slice(0, -1), { who: "memory", text: words, reply }];
  };
  let words = "";
  const reply = await tried(() =>
    of.converse(text, "user", (piece) => {
      words += piece;
      write(words);
    }),
  );
  if (reply === undefined) {
    write(words || "No answer came; the notice above says why.");
    return;
  }
  write(reply.text, reply);
  if (first) {
    known.value = await memories();
    await refresh();
    follow();
  } else soon();
  if (reply.citations.length) await light(reply.trace);
}

export async function sleepNow(): Promise<void> {
  const of = memory.value;
  if (of === null) return;
  asleep.value = "asleep";
  const slept = await tried(() => of.sleep());
  asleep.value = null;
  if (slept) {
    const rules = Object.entries(slept.rules).map(
      ([rule, did]) => `${rule}: ${Object.entries(did).map(([what, n]) => `${n} ${what}`).join(", ")}`,
    );
    notice.value = { kind: "done", text: `Slept. ${rules.join("; ") || "Nothing had to change."}` };
    await refresh();
  }
}

export function iso(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}

effect(() => {
  // A region or a moment that is chosen is another picture.
  void [region.value, asOf.value, recordedAsOf.value];
  if (memory.peek() !== null && stats.peek() !== null) soon();
});
