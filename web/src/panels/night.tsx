import { useEffect, useRef } from "preact/hooks";

import { night, wake } from "../night";
import { counted } from "../words";

/** Sleep to watch: each rule when it is done and what it did, over the graph, which changes at the end. */
export function Night() {
  const now = night.value;
  const button = useRef<HTMLButtonElement>(null);
  const over = now !== null && now.slept !== null;
  useEffect(() => {
    if (over) button.current?.focus();
  }, [over]);
  if (now === null) return null;
  const slept = now.slept;
  return (
    <section class={over ? "night" : "night deep"} aria-label="Sleep" onKeyDown={(e) => e.key === "Escape" && wake()}>
      <h2>{over ? "Slept" : "Asleep …"}</h2>
      <ol aria-live="polite" aria-label="Rules" tabIndex={0}>
        {now.did.map(({ rule, words }) => (
          <li key={rule}><b>{rule}</b> {words || <span class="quiet">nothing to do</span>}</li>
        ))}
      </ol>
      {over && slept && (
        <>
          <p>
            {Object.keys(slept.rules).length === 0 ? "Nothing had to change. " : ""}
            {counted(slept.nodes_before, "node")} before, {slept.nodes_after} after;{" "}
            {counted(slept.associations_before, "association")} before, {slept.associations_after} after.
          </p>
          <button type="button" ref={button} onClick={wake}>Good morning</button>
        </>
      )}
    </section>
  );
}
