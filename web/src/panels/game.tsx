import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { GameSteps, TurnSeen } from "../api";
import { begin, drawn, game, offered, one, over, pace, run, running, seen, shares, steps } from "../game";
import { View } from "../graph/view";
import { counted } from "../words";

const ABOUT: Record<string, string> = {
  nonsense: "A world of made-up houses, holidays and manners. Its rules cannot be reasoned out: they are told, felt, changed and lied about.",
  eleusis: "A secret rule says which cards may follow: it is to be found from what was accepted.",
  mastermind: "A hidden code, to be found from answers to guesses.",
  knights: "Knights tell the truth, liars never do: who is who?",
};

/** A game played live: MAGS on the one side, on the other a player without memory. */
export function Game() {
  const shown = steps.value[seen.value - 1];
  return (
    <section class="game" aria-label="A game, played live">
      <Choice />
      {game.value === null ? <Before /> : (
        <>
          <Score />
          <div class="sides">
            <Player of="mags" title="MAGS" about="remembers what was said" step={shown} />
            <Remembered />
            <Player of="alone" title="Without memory" about="sees only what is said in the turn" step={shown} />
          </div>
        </>
      )}
    </section>
  );
}

function Choice() {
  const names = Object.keys(offered.value);
  return (
    <form
      class="choice"
      onSubmit={(e) => {
        e.preventDefault();
        const given = new FormData(e.currentTarget);
        void begin(String(given.get("game")), Number(given.get("seed")) || 0);
      }}
    >
      <label>Game{" "}
        <select name="game" disabled={names.length === 0}>
          {names.map((name) => <option key={name} value={name}>{name}, {offered.value[name]} turns</option>)}
        </select>
      </label>
      <label>Seed <input name="seed" type="number" min="0" max="2147483647" defaultValue="0" /></label>
      <button type="submit" class={game.value === null ? "main" : ""} disabled={names.length === 0}>
        {game.value === null ? "Begin" : "Begin anew"}
      </button>
      {game.value !== null && (
        <div class="buttons" role="group" aria-label="Playing">
          <button
            type="button" class="main" disabled={over.value}
            onClick={() => {
              running.value = !running.value;
              if (running.value) void run();
            }}
          >
            {over.value ? "Over" : running.value ? "Pause" : "Go on"}
          </button>
          <button type="button" disabled={running.value || over.value} onClick={() => void one()}>One turn</button>
          <label>Pace{" "}
            <select value={pace.value} onChange={(e) => (pace.value = Number(e.currentTarget.value))}>
              <option value={1800}>to read along</option>
              <option value={700}>brisk</option>
              <option value={0}>as fast as it goes</option>
            </select>
          </label>
        </div>
      )}
    </form>
  );
}

function Before() {
  return (
    <div class="before">
      <h2>What is a memory worth?</h2>
      <p>
        Two players play the same game from the same seed, with the same small frozen reader that knows nothing of it.
        One is given what MAGS recalls; the other sees only what is said in the turn. What differs between them is the
        memory. Choose a game and begin; the graph in the middle is the memory as it grows.
      </p>
      <dl>
        {Object.entries(ABOUT).map(([name, words]) => (<><dt>{name}</dt><dd>{words}</dd></>))}
      </dl>
    </div>
  );
}

const WIDE = matchMedia("(max-width: 800px)").matches ? 380 : 900;
const [HIGH, LEFT] = [96, 40];

/** Right moves so far, as shares, turn by turn; a turn can be gone back to. */
function Score() {
  const mags = useComputed(() => shares("mags"));
  const alone = useComputed(() => shares("alone"));
  const last = steps.value.at(-1);
  const turns = game.value!.turns;
  const x = (turn: number) => LEFT + ((WIDE - LEFT - 6) * turn) / Math.max(1, turns);
  const y = (share: number) => 8 + (HIGH - 16) * (1 - share);
  const points = (of: number[]) => of.map((share, n) => `${x(n + 1).toFixed(1)},${y(share).toFixed(1)}`).join(" ");
  const told = last
    ? `Turn ${last.turn} of ${turns}: MAGS ${last.mags.rights} right, without memory ${last.alone.rights} right${last.over ? ". The game is over" : ""}.`
    : "The first turn is being played.";
  return (
    <div class="score">
      <p class="tally">
        <span class="of-mags"><b>{last ? last.mags.rights : 0}</b> MAGS</span>
        <span class="of-alone"><b>{last ? last.alone.rights : 0}</b> without memory</span>
        <span class="quiet">right moves of {last?.turn ?? 0}</span>
      </p>
      <svg viewBox={`0 0 ${WIDE} ${HIGH + 14}`} role="img" aria-label={`Share of right moves so far. ${told}`}>
        {[0, 0.5, 1].map((level) => (
          <g key={level}>
            <line class="grid" x1={LEFT} x2={WIDE - 6} y1={y(level)} y2={y(level)} />
            <text x={LEFT - 6} y={y(level) + 4} text-anchor="end">{100 * level}%</text>
          </g>
        ))}
        <text x={WIDE - 6} y={HIGH + 12} text-anchor="end">turn {turns}</text>
        <polyline class="of-alone" points={points(alone.value)} />
        <polyline class="of-mags" points={points(mags.value)} />
        {seen.value > 0 && <line class="at" x1={x(seen.value)} x2={x(seen.value)} y1={4} y2={HIGH - 4} />}
      </svg>
      <label class="turn">
        <span>Turn</span>
        <input
          type="range" min={1} max={Math.max(1, steps.value.length)} value={seen.value} disabled={steps.value.length < 2}
          aria-label="Turn that is shown"
          onInput={(e) => (seen.value = Number(e.currentTarget.value))}
        />
        <output>{seen.value} of {turns}</output>
      </label>
      <p class="hidden" role="status">{running.value && last && last.turn % 10 !== 0 ? "" : told}</p>
    </div>
  );
}

function Player({ of, title, about, step }: { of: "mags" | "alone"; title: string; about: string; step: GameSteps | undefined }) {
  const turn = step?.[of];
  return (
    <section class={`player ${of}`} aria-label={title} tabIndex={0}>
      <h2>{title} <span class="quiet">{about}</span></h2>
      {turn ? <Turn turn={turn} memory={of === "mags"} /> : <p class="hint">…</p>}
    </section>
  );
}

function Turn({ turn, memory }: { turn: TurnSeen; memory: boolean }) {
  // What the turn itself says is no memory: it stands above already.
  const now = new Set(turn.said.map((line) => `${line.speaker}: ${line.text}`));
  const lines = turn.lines.map((text, n) => ({ text, cited: turn.cited.includes(n) })).filter(({ text }) => !now.has(text));
  return (
    <>
      <ul class="said" aria-label="Said in this turn">
        {turn.said.map((line, n) => <li key={n}><b>{line.speaker}</b> {line.text}</li>)}
      </ul>
      <p class="question">{turn.question}</p>
      <p class={turn.right ? "move right" : "move wrong"}>
        <span aria-hidden="true">{turn.right ? "✓" : "✗"}</span> {turn.action}
        <span class="hidden">{turn.right ? "right" : "wrong"}</span>
      </p>
      {!turn.right && <p class="quiet">Best: {turn.best.slice(0, 3).join(" / ")}{turn.knowable ? "" : " (nobody could know yet)"}</p>}
      {memory ? (
        <>
          <h3>{counted(lines.length, "memory", "memories")} recalled</h3>
          <ul class="recalled">
            {lines.map(({ text, cited }, n) => <li key={n} class={cited ? "decided" : ""}>{text}{cited && <b class="cited">decided</b>}</li>)}
          </ul>
        </>
      ) : <h3>No memory</h3>}
    </>
  );
}

/** The memory of the game as it grows. */
function Remembered() {
  const where = useRef<HTMLDivElement>(null);
  const view = useRef<View | null>(null);
  useEffect(() => {
    const made = new View(where.current!, () => undefined);
    view.current = made;
    if (drawn.value) made.draw(drawn.value);
    return () => {
      made.close();
      view.current = null;
    };
  }, []);
  useSignalEffect(() => {
    if (drawn.value) view.current?.draw(drawn.value);
  });
  const held = drawn.value;
  return (
    <div class="remembered">
      <div
        class="canvas" ref={where} role="img"
        aria-label={held ? `The memory of MAGS: ${counted(held.nodes, "node")}, ${counted(held.arcs, "arc")}.` : "The memory of MAGS, empty yet."}
      />
    </div>
  );
}
