// Sleep, as something to watch.
import { signal } from "@preact/signals";

import type { Slept } from "./api";
import { STILL } from "./graph/colours";
import { counted, memory, refresh, tried } from "./state";

export interface Night {
  /** What the rules did, in words; so many of them are shown. */
  did: { rule: string; words: string }[];
  shown: number;
  slept: Slept | null;
}

export const night = signal<Night | null>(null);
const RULE_MS = 600;

/** What each rule of sleep is for, and its counts in words. */
const RULES: Record<string, (did: Record<string, number>) => string> = {
  solidify: (did) => `${counted(did.solid ?? 0, "arc")} held for long and set: ${one(did.solid, "it decays", "they decay")} no more`,
  crowding: (did) => `${counted(did.weakened ?? 0, "arc")} of crowded nodes grew weaker`,
  birth: (did) => `${counted(did.pairs ?? 0, "pair")} with much in common were joined`,
  decay: (did) => `${counted(did.steadier ?? 0, "arc")} found company and last longer, ${did.lonelier ?? 0} lost it`,
  prune: (did) => `${counted(did.pruned ?? 0, "arc")} had faded and were cut`,
  low_degree: (did) => `${counted(did.loosened ?? 0, "lonely node")} loosened, ${did.held ?? 0} held`,
  importance: (did) => `${counted(did.raised ?? 0, "node")} in the thick of things grew in importance`,
  consolidate: (did) => `${counted(did.themes ?? 0, "theme")} written, ${did.updated ?? 0} brought up to date`,
  capacity: (did) => `${counted(did.cooled ?? 0, "node")} went cold, ${counted(did.trimmed ?? 0, "arc")} were trimmed`,
};

export async function sleepNow(): Promise<void> {
  const of = memory.value;
  if (of === null || night.value !== null) return;
  night.value = { did: [], shown: 0, slept: null };
  const slept = await tried(() => of.sleep());
  if (slept === undefined || memory.value !== of) {
    night.value = null;
    return;
  }
  const did = Object.entries(slept.rules).map(([rule, counts]) => ({
    rule: rule.replaceAll("_", " "),
    words: RULES[rule]?.(counts) ?? plain(counts),
  }));
  night.value = { did, shown: STILL.matches ? did.length : 0, slept };
  while (night.value !== null && night.value.shown < did.length) {
    await new Promise((done) => setTimeout(done, RULE_MS));
    if (night.value !== null) night.value = { ...night.value, shown: night.value.shown + 1 };
  }
  await refresh();
}

export function wake(): void {
  night.value = null;
}

function plain(counts: Record<string, number>): string {
  return Object.entries(counts).map(([what, n]) => `${n} ${what.replaceAll("_", " ")}`).join(", ");
}

function one(n: number | undefined, single: string, several: string): string {
  return n === 1 ? single : several;
}
