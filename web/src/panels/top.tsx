import { useSignal } from "@preact/signals";

import { asleep, known, memory, open, sleepNow, stats } from "../state";

/** Which memory, how large it is, who is at work, and sleep. */
export function Top() {
  const naming = useSignal(false);
  const name = memory.value?.name ?? "";
  const names = known.value?.memories ?? [];
  const all = names.includes(name) || !name ? names : [...names, name];
  const counts = stats.value;
  const total = counts ? Object.values(counts.nodes).reduce((sum, n) => sum + n, 0) : 0;
  return (
    <header>
      <h1>MAGS</h1>
      <label>
        Memory{" "}
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
      </label>
      {naming.value && (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            const given = String(new FormData(e.currentTarget).get("name")).trim();
            naming.value = false;
            if (given) void open(given);
          }}
        >
          <input name="name" aria-label="Name of the memory" pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" required />
          <button type="submit">Open</button>
        </form>
      )}
      <p class="counts" role="status">
        {counts
          ? `${total} nodes · ${counts.open_facts} facts hold, ${counts.closed_facts} are over · tick ${counts.tick}`
          : "nothing remembered yet"}
      </p>
      {counts && (
        <details class="models">
          <summary>Models</summary>
          <dl>
            <dt>reads and writes by</dt><dd>{counts.policy}</dd>
            <dt>answers by</dt><dd>{counts.answerer}</dd>
            <dt>embeds by</dt><dd>{counts.embedder}</dd>
          </dl>
          <p>Set by the server's configuration file and environment.</p>
        </details>
      )}
      <button type="button" disabled={!counts || asleep.value !== null} onClick={() => void sleepNow()}>
        {asleep.value ? "Sleeping …" : "Sleep"}
      </button>
    </header>
  );
}
