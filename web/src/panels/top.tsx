import { useSignal } from "@preact/signals";

import { empty, known, place, stats, total } from "../state";
import { night, sleepNow } from "../night";
import { counted } from "../words";
import { Switch } from "./memories";
import { Settings } from "./settings";

/** Which memory, how large it is, who is at work, and sleep. */
export function Top() {
  const setting = useSignal(false);
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
      {place.value === "memory" && <Switch />}
      <p class="counts" role="status">
        {place.value !== "memory" ? "" : counts
          ? <>{counted(counts.open_facts, "fact holds", "facts hold")}, {counts.closed_facts} over<span class="wide"> · {counted(total.value, "node")}</span></>
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
