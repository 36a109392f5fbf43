// Sleep, as something to watch.
import { effect, signal } from "@preact/signals";

import type { RuleDone, Slept } from "./api";
import { STILL } from "./graph/colours";
import { changes, memory, narrow, refresh, tried, turn } from "./state";
import { counted } from "./words";

export interface Night {
  /** What the rules did so far, in words. */
  did: { rule: string; words: string }[];
  /** The whole of it, once all of it is told. */
  slept: Slept | null;
}

export const night = signal<Night | null>(null);
const RULE_MS = 600; // a rule is read at least so long before the next one comes

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
  regions: (did) => `${counted(did.regions ?? 0, "region")} of what hangs together found`,
  capacity: (did) => `${counted(did.cooled ?? 0, "node")} went cold, ${counted(did.trimmed ?? 0, "arc")} were trimmed`,
};

effect(() => {
  void memory.value; // another memory is opened: this night is not its own
  night.value = null;
});

effect(() => {
  // Who went back wants to see it: the report of the night no longer lies over the graph.
  if (changes.value[0]?.kind === "rollback" && night.peek()?.slept) wake();
});

export async function sleepNow(): Promise<void> {
  const of = memory.value;
  if (of === null || night.value !== null) return;
  if (narrow.value) turn("graph");
  const watched = new Watched();
  const slept = await tried(() => of.sleep((done) => watched.hear(done)));
  if (slept === undefined) watched.leave();
  else await watched.end(slept);
}

export function wake(): void {
  night.value = null;
}

/** One sleep, told at a pace that can be read along. What comes once it is left is not told. */
class Watched {
  private told: Promise<void> = Promise.resolve();
  private last: Night = { did: [], slept: null };

  constructor() {
    night.value = this.last;
  }

  /** Tell a rule when it is done, or as soon as those before it were to be read. */
  hear({ rule, did }: RuleDone): void {
    const name = rule.replaceAll("_", " ");
    const words = Object.keys(did).length === 0 ? "" : RULES[rule]?.(did) ?? plain(did);
    this.told = this.told.then(async () => {
      // A rule that comes again: others wrote meanwhile, and the sleep began anew.
      const before = this.last.did.some((one) => one.rule === name) ? [] : this.last.did;
      if (!this.show({ did: [...before, { rule: name, words }], slept: null })) return;
      if (!STILL.matches) await new Promise((done) => setTimeout(done, RULE_MS));
    });
  }

  async end(slept: Slept): Promise<void> {
    await this.told;
    if (this.show({ ...this.last, slept })) await refresh();
  }

  leave(): void {
    if (night.value === this.last) night.value = null;
  }

  /** False where nobody looks any more. */
  private show(next: Night): boolean {
    if (night.value !== this.last) return false;
    night.value = this.last = next;
    return true;
  }
}

function plain(counts: Record<string, number>): string {
  return Object.entries(counts).map(([what, n]) => `${n} ${what.replaceAll("_", " ")}`).join(", ");
}

function one(n: number | undefined, single: string, several: string): string {
  return n === 1 ? single : several;
}
