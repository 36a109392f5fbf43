import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { Reply } from "../api";
import { choose, light, memory, notice, say, talk, tried } from "../state";

/** Talk to the memory; each answer shows what it rests on. */
export function Chat() {
  const busy = useSignal(false);
  const end = useRef<HTMLDivElement>(null);
  const spoken = talk.value;
  useEffect(() => end.current?.scrollIntoView?.({ block: "nearest" }), [spoken]);
  return (
    <section class="chat" aria-labelledby="chat">
      <h2 id="chat">Chat</h2>
      <div class="talk" role="log" aria-live="polite">
        {spoken.length === 0 && <p class="hint">Tell it something, then ask. Watch the graph grow.</p>}
        {spoken.map((one, n) => (
          <div key={n} class={one.who}>
            <p>{one.text || "…"}</p>
            {one.reply && <Beneath reply={one.reply} />}
          </div>
        ))}
        <div ref={end} />
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
        <input id="say" name="words" autocomplete="off" aria-label="Say something" placeholder="I moved to Porto in May." />
        <button type="submit" disabled={busy.value}>Say</button>
      </form>
    </section>
  );
}

function Beneath({ reply }: { reply: Reply }) {
  const reward = (value: number) =>
    tried(async () => {
      await memory.value!.feedback(reply.trace, value);
      notice.value = { kind: "done", text: value > 0 ? "What led there grew stronger." : "What led there grew weaker." };
    });
  return (
    <p class="beneath">
      {reply.citations.map((one) => (
        <button type="button" key={one.id} title={one.text} onClick={() => void choose(one.id)}>m{one.id}</button>
      ))}
      {reply.citations.length > 0 && (
        <>
          <button type="button" onClick={() => void light(reply.trace)}>Why?</button>
          <button type="button" onClick={() => void reward(1)}>Good</button>
          <button type="button" onClick={() => void reward(-1)}>Bad</button>
        </>
      )}
      {reply.seen && reply.seen.facts.length > 0 && <span>{reply.seen.facts.length} new facts</span>}
      {reply.seen && reply.seen.closed.length > 0 && <span>{reply.seen.closed.length} closed</span>}
      {reply.usage.calls > 0 && (
        <span>{reply.usage.calls} calls, {reply.usage.prompt_tokens + reply.usage.completion_tokens} tokens</span>
      )}
      {reply.fallback && <span>{reply.fallback}</span>}
      {reply.warnings.map((text) => <span key={text}>{text}</span>)}
    </p>
  );
}
