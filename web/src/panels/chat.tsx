import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { Reply } from "../api";
import { choose, empty, narrow, stats } from "../state";
import { filling, light, reward, say, suggested, talk } from "../talk";
import { counted, day } from "../words";
import { Newcomer } from "./newcomer";

/** Talk to the memory; each answer shows what it rests on. */
export function Chat() {
  const busy = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const spoken = talk.value;
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [spoken]);
  return (
    <section class="chat" aria-label="Chat">
      <div class="talk" ref={box} role="log" aria-live="polite" aria-label="What was said" tabIndex={0}>
        {spoken.length === 0 && (narrow.value && empty.value && stats.value === null ? <Newcomer /> : (
          <p class="hint">Tell it something, then ask. What it takes in appears in the graph, and an answer lights the path it came by.</p>
        ))}
        {spoken.length === 0 && suggested.value.map((words) => (
          <button type="button" key={words} class="suggested" onClick={() => void say(words)}>{words}</button>
        ))}
        {spoken.map((one, n) => (
          <div key={n} class={one.failed ? `${one.who} failed` : one.who}>
            <p><span class="hidden">{one.who === "you" ? "You: " : "Memory: "}</span>{one.text || <Waiting />}</p>
            {one.reply && <Beneath reply={one.reply} />}
          </div>
        ))}
      </div>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          const form = e.currentTarget;
          const words = String(new FormData(form).get("words")).trim();
          if (!words || busy.value) return;
          busy.value = true;
          form.reset();
          void say(words).finally(() => (busy.value = false));
        }}
      >
        <input id="say" name="words" autocomplete="off" aria-label="Say something" placeholder="I moved to Porto in May." disabled={filling.value} />
        <button type="submit" class="main" disabled={busy.value || filling.value}>Say</button>
      </form>
    </section>
  );
}

function Waiting() {
  return <span class="waiting"><span class="hidden">thinking</span><i /><i /><i /></span>;
}

function Beneath({ reply }: { reply: Reply }) {
  return (
    <div class="beneath">
      {reply.citations.map((one) => (
        <button type="button" key={one.id} title={one.text} aria-label={`m${one.id}: ${one.text}`} onClick={() => void choose(one.id)}>
          m{one.id}
        </button>
      ))}
      {(reply.citations.length > 0 || !reply.seen?.facts.length) && (
        <button type="button" onClick={() => void light(reply.trace)}>Why?</button>
      )}
      {reply.citations.length > 0 && (
        <>
          <button type="button" onClick={() => void reward(reply.trace, 1)}>Good</button>
          <button type="button" onClick={() => void reward(reply.trace, -1)}>Bad</button>
        </>
      )}
      {reply.seen && reply.seen.facts.length > 0 && <span class="plus">{counted(reply.seen.facts.length, "new fact")}</span>}
      {reply.seen && reply.seen.closed.length > 0 && <span class="minus">{counted(reply.seen.closed.length, "fact")} over</span>}
      {reply.seen && reply.seen.confirmed.length > 0 && <span>{counted(reply.seen.confirmed.length, "fact")} confirmed</span>}
      {reply.usage.calls > 0 && (
        <span>
          {counted(reply.usage.calls, "call")}, {counted(reply.usage.prompt_tokens + reply.usage.completion_tokens, "token")},{" "}
          {reply.usage.seconds.toFixed(1)} s
        </span>
      )}
      {reply.weights && (
        <span title={`What ${reply.weights.version} was taught by change #${reply.weights.seq}, and what still holds`}>
          from what the model was taught on {day(new Date(reply.weights.made_at * 1000).toISOString())}
        </span>
      )}
      {reply.fallback && <span class="minus">The model did not answer, so the memory is quoted: {reply.fallback}</span>}
      {reply.warnings.map((text) => <span key={text} class="minus">{text}</span>)}
    </div>
  );
}
