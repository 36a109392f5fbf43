// The chat, and the path of its last answer.
import { batch, effect, signal } from "@preact/signals";

import { type Explanation, type Memory, type NodeCard, Problem, type Reply, type Turn } from "./api";
import { STILL } from "./graph/colours";
import { born, memory, notice, picture, soon, stats, tab, tried } from "./state";

export interface Spoken { who: "you" | "memory"; text: string; reply?: Reply; failed?: boolean }

export const talk = signal<Spoken[]>([]);
export const path = signal<Explanation | null>(null);
export const pathNodes = signal(new Map<number, NodeCard>()); // those of the path that are not drawn
export const step = signal(0); // how many hits of the path are lit
export const playing = signal(false);
export const filling = signal(false);
export const suggested = signal<string[]>([]); // questions that this memory can answer
const STEP_MS = 1100;
const MOST_ASKED = 60;

effect(() => {
  void memory.value;
  talk.value = [];
  suggested.value = [];
  path.value = null;
});

/** Light the path of an answer, hit by hit. */
export async function light(trace: string): Promise<void> {
  const of = memory.value;
  if (of === null) return;
  await tried(async () => {
    const told = await of.explain(trace);
    const missing = await undrawn(of, told);
    batch(() => {
      path.value = told;
      pathNodes.value = missing;
      step.value = Math.min(1, told.trace.hits.length);
      playing.value = !STILL.matches && told.trace.hits.length > 1;
    });
  });
}

/** What is not drawn is asked for, so that no step of a path stays a bare number. */
async function undrawn(of: Memory, told: Explanation): Promise<Map<number, NodeCard>> {
  const drawn = new Set(picture.value?.dots.map((dot) => dot.id));
  const ids = throughOf(told.trace.hits).filter((id) => !drawn.has(id)).slice(0, MOST_ASKED);
  const found = await Promise.all(ids.map((id) => of.node(id).catch(gone)));
  return new Map(found.flatMap((node) => (node ? [[node.id, node]] : [])));
}

function gone(failure: unknown): null {
  if (failure instanceof Problem && failure.status === 404) return null; // forgotten meanwhile
  throw failure;
}

/** Every node that a path goes through. */
export function throughOf(hits: Explanation["trace"]["hits"]): number[] {
  const ids = new Set(hits.flatMap((hit) => [hit.id, hit.anchor, ...hit.path.flatMap(({ src, dst }) => [src, dst])]));
  ids.delete(0);
  return [...ids];
}

export function leavePath(): void {
  path.value = null;
  playing.value = false;
}

effect(() => {
  if (!playing.value || path.value === null) return;
  const hits = path.value.trace.hits.length;
  const timer = setInterval(() => {
    if (step.value < hits) step.value += 1;
    if (step.value >= hits) playing.value = false;
  }, STEP_MS);
  return () => clearInterval(timer);
});

export async function say(text: string): Promise<void> {
  const of = memory.value;
  if (of === null || !text.trim()) return;
  const first = stats.value === null;
  leavePath();
  tab.value = "chat";
  talk.value = [...talk.value, { who: "you", text }, { who: "memory", text: "" }];
  const write = (one: Omit<Spoken, "who">) => {
    talk.value = [...talk.value.slice(0, -1), { who: "memory", ...one }];
  };
  let words = "";
  const reply = await tried(() =>
    of.converse(text, "user", (piece) => {
      words += piece;
      write({ text: words });
    }),
  );
  if (memory.value !== of) return;
  if (reply === undefined) {
    write({ text: words || "No answer came. Above it says why.", failed: true });
    return;
  }
  write({ text: reply.text, reply });
  if (first) await tried(born);
  else soon();
  if (reply.citations.length) await light(reply.trace);
}

export async function reward(trace: string, value: number): Promise<void> {
  await tried(async () => {
    await memory.value!.feedback(trace, value);
    notice.value = { kind: "done", text: value > 0 ? "What led there grew stronger." : "What led there grew weaker." };
  });
}

const EXAMPLE: [string, string][] = [
  ["2026-01-10", "Ana lives in Oslo."],
  ["2026-01-10", "Ana works as a nurse at the harbour clinic."],
  ["2026-01-24", "Ana's brother is Bo."],
  ["2026-02-07", "Bo has a dog named Biscuit."],
  ["2026-02-07", "Bo likes chess."],
  ["2026-03-14", "Ana moved to Lisbon."],
  ["2026-04-04", "Ana's friend is Carol."],
  ["2026-04-04", "Carol lives in Porto."],
  ["2026-05-16", "Bo moved to Graz."],
  ["2026-06-20", "Ana works as a teacher."],
];
const ASK = ["Where does Ana's brother live?", "What is the name of the dog of Ana's brother?", "Where did Ana live before?"];

/** Fill an empty memory with half a year of an example, turn by turn, so that it is seen to grow. */
export async function fill(): Promise<void> {
  const of = memory.value;
  if (of === null) return;
  filling.value = true;
  await tried(async () => {
    for (const [n, [at, text]] of EXAMPLE.entries()) {
      const turn: Turn = { text, speaker: "user", at, session: at, key: `example ${n}` };
      await of.observe(turn);
      if (n === 0) await born();
      if (memory.value !== of) return;
      if (!STILL.matches) await new Promise((done) => setTimeout(done, 350));
    }
    soon();
    suggested.value = ASK;
    notice.value = { kind: "done", text: "Half a year is remembered. Now ask it something." };
  });
  filling.value = false;
}
