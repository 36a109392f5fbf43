import { useEffect } from "preact/hooks";

import { useKey } from "../api";
import { begin, cut, needsKey, notice } from "../state";

/** What was done or what went wrong, in the server's own words. */
export function Notice() {
  const told = notice.value;
  return (
    <>
      <div role="alert">
        {cut.value && (
          <p class="notice error">
            <span>The server does not answer. It is tried again every second; what you see is as it was.</span>
          </p>
        )}
        {told?.kind === "error" && <Line />}
      </div>
      <div role="status">{told?.kind === "done" && <Line />}</div>
    </>
  );
}

const LONG_MS = 10_000; // what was done is told for so long; what went wrong stays

function Line() {
  const told = notice.value!;
  useEffect(() => {
    if (told.kind === "error") return;
    const timer = setTimeout(() => (notice.value = null), LONG_MS);
    return () => clearTimeout(timer);
  }, [told]);
  return (
    <p class={`notice ${told.kind}`}>
      <span>{told.text}</span>
      <button type="button" class="plain" aria-label="Close the notice" onClick={() => (notice.value = null)}>×</button>
    </p>
  );
}

/** Asks for a key where the server wants one. */
export function Key() {
  if (!needsKey.value) return null;
  return (
    <form
      class="key"
      onSubmit={(e) => {
        e.preventDefault();
        useKey(String(new FormData(e.currentTarget).get("key")).trim());
        void begin();
      }}
    >
      <label>
        This server wants a key <input name="key" type="password" autocomplete="off" required />
      </label>
      <button type="submit" class="main">Use it</button>
      <p class="quiet">`mags keys add NAME` makes one. It is kept for as long as this tab is open.</p>
    </form>
  );
}
