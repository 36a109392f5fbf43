import { useSignal, useSignalEffect } from "@preact/signals";

import type { Diff, Mark } from "../api";
import { changes, choose, memory, notice, refresh, stats, tried } from "../state";

/** What changed, newest first; snapshots to compare with and to go back to. */
export function History() {
  return (
    <>
      <Snapshots />
      <section class="changes" aria-labelledby="changes">
        <h2 id="changes">Changes</h2>
        <ol reversed>
          {changes.value.slice(0, 50).map((one) => (
            <li key={one.seq}>
              <b>{one.kind}</b> <span class="kind">#{one.seq} tick {one.tick}</span>{" "}
              {one.added.length > 0 && <span class="plus">+{one.added.length} nodes</span>}{" "}
              {one.changed.length > 0 && <span>~{one.changed.length}</span>}{" "}
              {one.removed.length > 0 && <span class="minus">−{one.removed.length}</span>}{" "}
              {one.arcs.length > 0 && <span class="plus">+{one.arcs.length} arcs</span>}{" "}
              {one.cut.length > 0 && <span class="minus">−{one.cut.length} arcs</span>}
              <span class="ids">
                {one.added.slice(0, 6).map((id) => (
                  <button type="button" key={id} onClick={() => void choose(id)}>m{id}</button>
                ))}
              </span>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

function Snapshots() {
  const marks = useSignal<Mark[]>([]);
  const diff = useSignal<Diff | null>(null);
  const load = () => tried(async () => (marks.value = await memory.value!.snapshots()));
  useSignalEffect(() => {
    if (memory.value !== null && stats.value !== null) void load();
  });
  const back = (name: string) =>
    tried(async () => {
      await memory.value!.rollback(name);
      notice.value = { kind: "done", text: `Back at "${name}". This is a change as well, and can be taken back.` };
      diff.value = null;
      await refresh();
    });
  return (
    <section class="snapshots" aria-labelledby="snapshots">
      <h2 id="snapshots">Snapshots</h2>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          const form = e.currentTarget;
          const name = String(new FormData(form).get("name")).trim();
          if (!name) return;
          form.reset();
          void tried(async () => {
            await memory.value!.snapshot(name);
            await load();
          });
        }}
      >
        <input name="name" aria-label="Name of a snapshot" placeholder="before the trip" autocomplete="off" />
        <button type="submit" disabled={stats.value === null}>Take</button>
      </form>
      <ul>
        {marks.value.filter((one) => one.name !== "before the last turn").map((one) => (
          <li key={`${one.name} ${one.seq}`}>
            {one.name}{" "}
            <button type="button" onClick={() => void tried(async () => (diff.value = await memory.value!.diff(one.name)))}>
              Compare
            </button>{" "}
            <button type="button" onClick={() => void back(one.name)}>Go back</button>
          </li>
        ))}
      </ul>
      {diff.value && (
        <div class="diff" role="status">
          <p>
            Since "{diff.value.since}": {diff.value.added.length} nodes more, {diff.value.removed.length} gone,{" "}
            {diff.value.changed.length} changed, {diff.value.closed.length} facts over; arcs +{diff.value.arcs_added}{" "}
            −{diff.value.arcs_removed}.
          </p>
          <ul>
            {diff.value.added.slice(0, 20).map((node) => (
              <li key={node.id} class="plus">
                + <button type="button" onClick={() => void choose(node.id)}>{node.text}</button>
              </li>
            ))}
            {diff.value.closed.slice(0, 20).map((fact) => <li key={fact.id} class="minus">− {fact.text}</li>)}
          </ul>
        </div>
      )}
    </section>
  );
}
