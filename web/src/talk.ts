// The chat, and what its last answer rests on.
import { batch, computed, effect, signal } from "@preact/signals";

import { type Explanation, type Memory, type NodeCard, Problem, type Reply, type Trail, type Turn } from "./api";
import { STILL } from "./graph/colours";
import { born, memory, notice, picture, soon, stats, tab, tried } from "./state";

export interface Spoken { who: "you" | "memory"; text: string; reply?: Reply; failed?: boolean }

export const talk = signal<Spoken[]>([]);
export const path = signal<Explanation | null>(null);
export const pathNodes = signal(new Map<number, NodeCard>()); // its evidence, and what of the way there is not drawn
export const filling = signal(false);
export const suggested = signal<string[]>([]); // questions that this memory can answer
const CLOSEST = 3; // memories that are shown first where none carries the answer
const MOST_ASKED = 60;

/** The answer's own evidence, in its order, and what else was recalled for it. */
export const evidence = computed(() => {
  const { hits, cited } = path.value?.trace ?? { hits: [], cited: [] };
  // What was cited beside a hit, as the fact that a turn tells, was not itself looked for.
  const own = cited.map((id) => hits.find((hit) => hit.id === id) ?? { id, anchor: 0, path: [], shares: {} });
  const first = own.length > 0 ? own : hits.slice(0, CLOSEST);
  return { carried: own.length > 0, first, others: hits.filter((hit) => !first.includes(hit)) };
});

effect(() => {
  void memory.value;
  talk.value = [];
  suggested.value = [];
  path.value = null;
});

/** Show why an answer came out as it did, and light the way to its evidence. */
export async function light(trace: string): Promise<void> {
  const of = memory.value;
  if (of === null) return;
  await tried(async () => {
    const told = await of.explain(trace);
    const nodes = await cardsOf(of, told);
    batch(() => {
      path.value = told;
      pathNodes.value = nodes;
    });
  });
}

/** Of the evidence who said it; of what is not drawn the words, so that no step of a way stays a bare number. */
async function cardsOf(of: Memory, { trace }: Explanation): Promise<Map<number, NodeCard>> {
  const drawn = new Set(picture.value?.dots.map((dot) => dot.id));
  const ids = new Set([...trace.cited, ...throughOf(trace.hits).filter((id) => !drawn.has(id))]);
  const found = await Promise.all([...ids].slice(0, MOST_ASKED).map((id) => of.node(id).catch(gone)));
  return new Map(found.flatMap((node) => (node ? [[node.id, node]] : [])));
}

function gone(failure: unknown): null {
  if (failure instanceof Problem && failure.status === 404) return null; // forgotten meanwhile
  throw failure;
}

/** Every node that ways go through. */
export function throughOf(hits: Trail[]): number[] {
  const ids = new Set(hits.flatMap((hit) => [hit.id, hit.anchor, ...hit.path.flatMap(({ src, dst }) => [src, dst])]));
  ids.delete(0);
  return [...ids];
}

export async function say(text: string): Promise<void> {
  const of = memory.value;
  if (of === null || !text.trim()) return;
  const first = stats.value === null;
  path.value = null;
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
