// The server as functions. What goes wrong is a `Problem` with the server's own words.

export interface Dot {
  id: number; kind: string; label: string; strength: number; importance: number; uses: number;
  region: number; current: boolean; tentative: boolean; disputed: boolean; pinned: boolean; cold: boolean;
  valid_from: string | null; valid_to: string | null; recorded_at: string | null;
}
/** Words of a memory, marked where it is a guess (not surely read) or says otherwise than a higher word. */
export function marked(text: string, tentative = false, disputed = false): string {
  return `${text}${tentative ? " (a guess)" : ""}${disputed ? " (disputed)" : ""}`;
}
export interface Arc { src: number; dst: number; kind: string; weight: number }
export interface Picture {
  tick: number; seq: number; nodes: number; arcs: number; dots: Dot[]; lines: Arc[];
}
export interface Region { id: number; name: string; leaders: number[]; size: number }
export interface RegionMap {
  regions: Region[]; links: { a: number; b: number; weight: number; arcs: number }[];
}
/** A node in its words of now. */
export interface Named { id: number; kind: string; text: string; current: boolean; tentative: boolean; disputed: boolean }
/** `arcs` are new, `reweighted` were there before; of what was erased the number alone is known. */
export interface Change {
  seq: number; kind: string; recorded_at: string | null; tick: number; added: number[];
  changed: number[]; removed: number[]; closed: number[]; edited: number[]; arcs: Arc[];
  reweighted: Arc[]; cut: Arc[]; erased_nodes: number; erased_arcs: number; named: Named[];
  more: number; reasons: Record<string, unknown>[];
}
export interface Fact {
  id: number; subject: string; relation: string; object: string; text: string;
  valid_from: string | null; valid_to: string | null; confidence: number;
  tentative: boolean; disputed: boolean; speaker: string; said_at: string | null; grade: string;
}
export interface NodeCard {
  id: number; kind: string; text: string; meta: Record<string, unknown>; strength: number;
  importance: number; confidence: number; valid_from: string | null; valid_to: string | null;
  recorded_at: string | null; uses: number; pinned: boolean; cold: boolean; sources: number[];
  fact: Fact | null;
}
export interface Neighbour {
  id: number; kind: string; text: string; arc: string; weight: number; outgoing: boolean;
}
export interface Hit {
  id: number; kind: string; text: string; score: number; at: string | null; current: boolean;
  anchor: boolean; speaker: string; shares: Record<string, number>;
}
export interface Found { trace: string; hits: Hit[]; context: string }
export interface Citation { id: number; text: string; speaker: string; at: string | null }
export interface Seen {
  episode_id: number; seq: number; facts: number[]; closed: number[]; confirmed: number[];
  understood: boolean; why: string; warnings: string[];
}
export interface Reply {
  text: string; support: number; citations: Citation[]; trace: string; answerer: string;
  fallback: string | null; seen: Seen | null; warnings: string[];
  weights: { version: string; facts: number[]; seq: number; made_at: number } | null;
  usage: { calls: number; prompt_tokens: number; completion_tokens: number; seconds: number };
}
export interface Step { src: number; dst: number; kind: number; forward: boolean; weight: number }
/** A memory that was recalled: the way to it from an anchor, and what each feature added to its score. */
export interface Trail { id: number; anchor: number; path: Step[]; shares: Record<string, number> }
export interface Explanation { trace: { cited: number[]; hits: Trail[] } }
export interface Mark { name: string; branch: string; seq: number; recorded_at: string | null }
export interface Stats {
  nodes: Record<string, number>; arcs: Record<string, number>; open_facts: number;
  closed_facts: number; tick: number; seq: number; embedder: string; policy: string;
  answerer: string; bytes_on_disk: number; snapshots: string[];
}
export interface Slept {
  tick: number; rules: Record<string, Record<string, number>>; nodes_before: number;
  nodes_after: number; associations_before: number; associations_after: number;
}
/** A rule of sleep that is done, and what it did how often: nothing where it changed nothing. */
export interface RuleDone { rule: string; did: Record<string, number> }
/** A node that is no more, as it was. */
export interface Gone { id: number; kind: string; text: string }
export interface Diff {
  since: string; added: NodeCard[]; removed: Gone[]; changed: NodeCard[]; closed: Fact[];
  arcs_added: number; arcs_removed: number; arcs_changed: number;
}
export const SOUGHT = 20; // memories that a search gives at most
export interface When { as_of?: string | null; recorded_as_of?: string | null }
export interface Turn { text: string; speaker: string; at?: string; session?: string; key?: string }
/** What one change left of a node. `half_life`: ticks until the strength is half, null: it stays. */
export interface Moment {
  seq: number; tick: number; kind: string; recorded_at: string | null; strength: number;
  uses: number; half_life: number | null;
}
export interface Model { url: string; model: string; key_set: boolean }
/** One player's turn. `lines`: what its reader was shown; `cited`: places in it that decided. */
export interface TurnSeen {
  said: { speaker: string; text: string }[]; question: string; actions: string[]; action: string;
  best: string[]; knowable: boolean; right: boolean; reward: number; score: number; rights: number;
  lines: string[]; cited: number[]; seconds: number;
}
export interface GameSteps {
  game: string; seed: number; turns: number; turn: number; over: boolean; mags: TurnSeen; alone: TurnSeen;
}
export interface GameBegun { id: string; game: string; seed: number; turns: number }
/** What is erased for good; of a dry run what would be, with its words. */
export interface Forgotten {
  nodes: Record<string, number[]>; past: number[]; parted: number[]; texts: Record<number, string>;
  weights: string[]; out_of_reach: string[];
}

export class Problem extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

const GONE = "The server does not answer. Is `mags serve` running?";

/** Who follows a memory. `line`: null once it stands, else why it is cut. */
export interface Follower { change: (one: Change) => void; line: (problem: Problem | null) => void }

const KEY = "mags-key";
let key = sessionStorage.getItem(KEY) ?? "";

export function useKey(given: string): void {
  key = given;
  // Only for as long as the tab lives: a key outlives no session on a shared machine.
  if (given) sessionStorage.setItem(KEY, given);
  else sessionStorage.removeItem(KEY);
}

function headers(body: boolean): HeadersInit {
  return {
    ...(body ? { "Content-Type": "application/json" } : {}),
    ...(key ? { Authorization: `Bearer ${key}` } : {}),
  };
}

type Query = Record<string, string | number | boolean | null | undefined>;

function address(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const words = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length ? `${path}?${words}` : path;
}

async function asked(path: string, method: string, body?: unknown, signal?: AbortSignal) {
  let answer: Response;
  try {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    answer = await fetch(path, { method, headers: headers(body !== undefined), body: sent, signal });
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw new Problem(0, GONE);
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({}));
    throw new Problem(answer.status, told.detail ?? `The server answered ${answer.status}.`);
  }
  return answer;
}

async function json<T>(path: string, method = "GET", body?: unknown): Promise<T> {
  const answer = await asked(path, method, body);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

export interface Memories { memories: string[]; key: string; scope: string; joined: string[] }
/** So many names that begin like `prefix`, in their order, after one of them. */
export const memories = (prefix = "", limit = 1, after = "") => json<Memories>(address("/memories", { prefix, limit, after }));
export const model = () => json<Model>("/settings/model");
export const chooseModel = (url: string, name: string, secret: string | null) =>
  json<Model>("/settings/model", "PUT", { url, model: name, ...(secret === null ? {} : { key: secret }) });
export const restoreModel = () => json<Model>("/settings/model", "DELETE");

export const games = () => json<{ games: Record<string, number> }>("/games");
export const beginGame = (game: string, seed: number) => json<GameBegun>("/games", "POST", { game, seed });
export const stepGame = (id: string) => json<GameSteps>(`/games/${id}/step`, "POST");
export const gamePicture = (id: string) => json<Picture>(address(`/games/${id}/picture`, { most: 300 }));
export const endGame = (id: string) => json<void>(`/games/${id}`, "DELETE");

export class Memory {
  readonly path: string;
  constructor(readonly name: string) {
    this.path = `/memories/${encodeURIComponent(name)}`;
  }
  private at<T>(path: string, query?: Query): Promise<T> {
    return json<T>(address(this.path + path, query));
  }
  private send<T>(path: string, body: unknown, method = "POST"): Promise<T> {
    return json<T>(this.path + path, method, body);
  }
  stats = () => this.at<Stats>("/stats");
  regions = () => this.at<RegionMap>("/regions");
  picture = (query: Query) => this.at<Picture>("/picture", query);
  changes = (after: number, limit = 100) => this.at<Change[]>("/changes", { after, limit });
  node = (id: number) => this.at<NodeCard>(`/nodes/${id}`);
  neighbours = (id: number) => this.at<Neighbour[]>(`/nodes/${id}/neighbours`);
  recall = (query: string, at: When = {}, k = 10) => this.send<Found>("/recall", { query, k, ...at });
  search = (words: string, at: When = {}, k = SOUGHT) => this.at<Named[]>("/search", { words, k, ...at });
  observe = (turn: Turn) => this.send<Seen>("/turns", turn);
  life = (id: number) => this.at<Moment[]>(`/nodes/${id}/life`);
  explain = (trace: string) => this.at<Explanation>(`/traces/${trace}`);
  feedback = (trace: string, reward: number) => this.send("/feedback", { trace, reward });
  /** Say that a fact is wrong, and what is right (null: only that it is wrong). */
  correct = (id: number, right: string | null) => this.send<Seen>("/corrections", { id, right, session: "page" });
  edit = (id: number, change: unknown) => this.send<NodeCard>(`/nodes/${id}`, change, "PATCH");
  forget = (id: number, dry: boolean) =>
    json<Forgotten>(address(`${this.path}/nodes/${id}`, { dry_run: dry }), "DELETE");
  /** Sleep; `onRule` gets each rule when it is done. */
  sleep = (onRule: (done: RuleDone) => void) =>
    this.streamed<Slept>("/sleep", { stream: true }, "rule", onRule, "The sleep");
  snapshots = () => this.at<Mark[]>("/snapshots");
  snapshot = (name: string) => this.send<Mark>("/snapshots", { name });
  diff = (since: string) => this.at<Diff>("/diff", { since });
  rollback = (to: { name: string } | { seq: number }) => this.send("/rollback", to);

  /** One turn of a chat; `onText` gets the answer as it is written. */
  converse(text: string, speaker: string, onText: (piece: string) => void): Promise<Reply> {
    const body = { text, speaker, session: "page", stream: true };
    const on = (piece: { text: string }) => onText(piece.text);
    return this.streamed<Reply>("/converse", body, "text", on, "The answer");
  }

  /** What is streamed: `on` gets each event of a kind as it comes; then the whole of it. */
  private async streamed<T, Part = never>(
    path: string, body: unknown, of: string, on: (part: Part) => void, what: string,
  ): Promise<T> {
    const answer = await asked(this.path + path, "POST", body);
    try {
      for await (const { kind, data } of events(answer)) {
        const value = JSON.parse(data);
        if (kind === of) on(value as Part);
        else if (kind === "done") return value as T;
        else throw new Problem(value.status, value.detail);
      }
    } catch (failure) {
      if (failure instanceof Problem) throw failure;
    }
    throw new Problem(0, `${what} broke off: the server may have stopped.`);
  }

  /** Every change from a sequence on, until `signal` ends it; goes on by itself when cut off. */
  async follow(after: number, told: Follower, signal: AbortSignal): Promise<void> {
    let seen = after;
    while (!signal.aborted) {
      try {
        const path = address(`${this.path}/events`, { after: seen });
        const answer = await asked(path, "GET", undefined, signal);
        told.line(null);
        for await (const { kind, data } of events(answer)) {
          if (kind !== "change") continue;
          const change = JSON.parse(data) as Change;
          seen = change.seq;
          told.change(change);
        }
      } catch (failure) {
        if (signal.aborted) return;
        const problem = failure instanceof Problem ? failure : new Problem(0, GONE);
        told.line(problem);
        if ([401, 403, 404].includes(problem.status)) return;
      }
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

async function* events(answer: Response): AsyncGenerator<{ kind: string; data: string }> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    held += value;
    const parts = held.split("\n\n");
    held = parts.pop()!;
    for (const part of parts) {
      const lines = part.split("\n");
      const of = (name: string) =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      const data = of("data").join("\n");
      if (data) yield { kind: of("event")[0] ?? "message", data };
    }
  }
}
