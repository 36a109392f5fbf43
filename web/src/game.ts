// A game that is watched: MAGS beside a player without memory, turn by turn.
import { computed, effect, signal } from "@preact/signals";

import { type GameSteps, type Picture, type TurnSeen, beginGame, endGame, gamePicture, games, stepGame } from "./api";
import { place, tried } from "./state";

export const offered = signal<Record<string, number>>({});
export const game = signal<{ id: string; game: string; seed: number; turns: number } | null>(null);
export const steps = signal<GameSteps[]>([]);
export const seen = signal(0); // which turn is shown, from 1
export const running = signal(false);
export const pace = signal(700); // milliseconds from turn to turn
export const drawn = signal<Picture | null>(null);
export const over = computed(() => steps.value.at(-1)?.over ?? false);

/** What is known of the games there are, asked once they are wanted. */
effect(() => {
  if (place.value !== "game" || Object.keys(offered.peek()).length > 0) return;
  void tried(async () => (offered.value = (await games()).games));
});

export async function begin(name: string, seed: number): Promise<void> {
  const old = game.value;
  running.value = false;
  await tried(async () => {
    const made = await beginGame(name, seed);
    game.value = made;
    steps.value = [];
    seen.value = 0;
    drawn.value = null;
    if (old !== null) void endGame(old.id).catch(() => undefined); // it may be away already
    running.value = true;
    void run();
  });
}

export async function one(): Promise<boolean> {
  const of = game.value;
  if (of === null || over.value) return false;
  const step = await tried(() => stepGame(of.id));
  if (step === undefined || game.value !== of) {
    running.value = false;
    return false;
  }
  const newest = seen.value === steps.value.length;
  steps.value = [...steps.value, step];
  if (newest) seen.value = steps.value.length;
  const picture = await gamePicture(of.id).catch(() => null); // the game goes on without a picture
  if (game.value === of && picture !== null) drawn.value = picture;
  return !step.over;
}

let looping = false;
export async function run(): Promise<void> {
  if (looping) return;
  looping = true;
  while (running.value) {
    const begun = performance.now();
    if (!(await one())) running.value = false;
    await new Promise((done) => setTimeout(done, Math.max(0, pace.value - (performance.now() - begun))));
  }
  looping = false;
}

/** The share of right moves after each turn, of the turns in which somebody could know. */
export function shares(of: "mags" | "alone"): number[] {
  let [right, all] = [0, 0];
  return steps.value.map((step) => {
    const turn: TurnSeen = step[of];
    right += Number(turn.right);
    all += 1;
    return right / all;
  });
}
