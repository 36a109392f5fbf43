import { useSignal } from "@preact/signals";

import { counted, empty, known, memory, open, place, stats, total } from "../state";
import { night, sleepNow } from "../night";
import { Settings } from "./settings";

/** Which memory, how large it is, who is at work, and sleep. */
export function Top() {
  const naming = useSignal(false);
  const setting = useSignal(false);
  const name = memory.value?.name ?? "";
  const names = known.value?.memories ?? [];
  const all = names.includes(name) || !name ? names : [...names, name];
  const counts = stats.value;
  return (
    <>
    <header>
      <h1>MAGS</h1>
      {known.value?.joined.includes("games") && (
        <div class="views" role="group" aria-label="What is shown">
          {(["memory", "game"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={place.value === one} onClick={() => (place.value = one)}>
              {one === "memory" ? "Memory" : "Game"}
            </button>
          ))}
        </div>
      )}
      {place.value === "memory" && <label>
        <span class="hidden">Memory</span>
        <select
          value={name}
          onChange={(e) => {
            if (e.currentTarget.value === "") naming.value = true;
            else void open(e.currentTarget.value);
          }}
        >
          {all.map((one) => <option key={one} value={one}>{one}</option>)}
          <option value="">another …</option>
        </select>
      </label>}
      {naming.value && (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            const given = String(new FormData(e.currentTarget).get("name")).trim();
            naming.value = false;
            if (given) void open(given);
          }}
        >
          <input name="name" aria-label="Name of the memory" placeholder="a name" pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" required autofocus />
          <button type="submit">Open</button>
        </form>
      )}
      <p class="counts" role="status">
        {place.value !== "memory" ? "" : counts
          ? `${counted(total.value, "node")} · ${counted(counts.open_facts, "fact holds", "facts hold")}, ${counts.closed_facts} over · tick ${counts.tick}`
          : empty.value ? "nothing remembered yet" : ""}
      </p>
      <div class="buttons">
        {place.value === "memory" && (
          <button type="button" disabled={!counts || night.value !== null} onClick={() => void sleepNow()}>
            {night.value && !night.value.slept ? "Sleeping …" : "Sleep"}
          </button>
        )}
        <button type="button" onClick={() => (setting.value = true)}>Settings</button>
      </div>
    </header>
    {setting.value && <Settings leave={() => (setting.value = false)} />}
    </>
  );
}
