// What the memory calls things, in words that a reader of the page knows. The one place for them.
import type { NodeCard } from "./api";

/** Why recall chose a memory: each line stands for features of the ranking (`Trace.shares`). */
const REASONS: [string, string[]][] = [
  ["Close in meaning to the question", ["similarity", "window", "asked", "look", "read"]],
  ["Has the question's words", ["lexical", "lexical_near", "lexical_reworded", "cover", "cover_near"]],
  ["About what the question names", ["entity", "about", "titled", "speaker"]],
  ["Linked to what the question names", ["spread", "walk", "chain", "bridge", "wired"]],
  ["Told beside others that fit", ["session", "feedback"]],
  ["From the time asked about", ["during", "recency", "newer", "bygone", "stale"]],
  ["The kind of answer asked for", [
    "expect_time", "expect_number", "expect_place", "expect_person", "expect_reason", "expect_liking",
  ]],
  ["To be kept to always", ["standing"]],
  ["Important, sure or often used", ["importance", "confidence", "strength"]],
  ["What kind of text it is", ["fact", "document", "question", "length", "block"]],
];

/** What spoke for a memory, the weightiest first, and then what spoke against it. */
export function reasons(shares: Record<string, number>): { words: string; sum: number }[] {
  return REASONS.map(([words, features]) => ({ words, sum: features.reduce((all, one) => all + (shares[one] ?? 0), 0) }))
    .filter(({ sum }) => Math.abs(sum) > 0.1)
    .sort((a, b) => b.sum - a.sum);
}

const CHANGES: Record<string, string> = {
  observe: "told", read: "read later", assert: "given", ask: "asked", feedback: "rated", sleep: "slept", edit: "edited",
  pin: "pinned", rollback: "taken back", import: "imported", forget: "forgotten", reembed: "embedded anew",
  train: "taught to the model",
};

/** What a change was. */
export function deed({ kind, reasons: why = [] }: { kind: string; reasons?: Record<string, unknown>[] }): string {
  return why.some(({ rule }) => rule === "correct") ? "corrected" : CHANGES[kind] ?? kind;
}

/** What a training taught, and to which version of the model's weights; null for any other change. */
export function taught({ reasons: why }: { reasons: Record<string, unknown>[] }): string | null {
  const training = why.find(({ rule }) => rule === "train");
  return training ? `${counted(Number(training.facts), "fact")}, as ${training.version}` : null;
}

const ARCS: Record<string, [out: string, into: string]> = {
  next: ["then came", "came after"], mentions: ["mentions", "mentioned in"], subject: ["is about", "of it"],
  object: ["names", "named in"], source: ["told in", "tells"], supersedes: ["replaces", "replaced by"],
  member: ["sums up", "summed up in"], association: ["linked", "linked"],
  disputes: ["says otherwise than", "contradicted by"],
};

/** How one memory is to another. */
export function relation(arc: string, outgoing: boolean): string {
  return ARCS[arc]?.[outgoing ? 0 : 1] ?? arc;
}

export function day(moment: string | null): string | null {
  return moment === null ? null : moment.slice(0, 10);
}

/** Who told what a node says, and when; null for what nobody told. */
export function told({ fact, kind, meta, valid_from }: NodeCard): string | null {
  const who = fact?.speaker || (typeof meta.speaker === "string" ? meta.speaker : "");
  const when = day(fact ? fact.said_at : kind === "episode" ? valid_from : null);
  return [who, when].filter(Boolean).join(", ") || null;
}

/** One thing, two things. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
