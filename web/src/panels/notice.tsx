import { useKey } from "../api";
import { begin, needsKey, notice } from "../state";

/** What was done or what went wrong, in the server's own words. */
export function Notice() {
  const told = notice.value;
  if (told === null) return <div role="alert" />;
  return (
    <div role="alert" class={`notice ${told.kind}`}>
      <span>{told.text}</span>
      <button type="button" aria-label="Close the notice" onClick={() => (notice.value = null)}>×</button>
    </div>
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
      <button type="submit">Use it</button>
    </form>
  );
}
