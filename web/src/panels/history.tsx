import { useSignal, useSignalEffect } from "@preact/signals";

import type { Change, Diff, Mark } from "../api";
import { changes, landed, memory, notice, refresh, shown, stats, tried } from "../state";
import { counted, day, deed, taught } from "../words";
import { Said } from "./said";
import { Undo } from "./undo";

/** What changed, newest first; snapshots to compare with and to go back to. */
export function History() {
  return (
    <>
      <Snapshots />
      <section class="changes" aria-labelledby="changes">
        <h2 id="changes">Changes</h2>
        {changes.value.length === 0 && <p class="hint">Each change is listed here as it lands.</p>}
        <ol reversed>
          {changes.value.slice(0, 60).map((one) => <One key={one.seq} change={one} />)}
        </ol>
      </section>
    </>
  );
}

function One({ change }: { change: Change }) {
  const again = () => {
    // The same pulse as when it landed.
    landed.value = [change];
    void refresh();
  };
  return (
    <li>
      <span class="undo">{change.kind !== "forget" && <Undo change={change} />}</span>
      <button type="button" class="link" aria-label={`Show change ${change.seq}, ${deed(change)}, in the graph`} onClick={again}>
        <b>{deed(change)}</b>
      </button>{" "}
      <span class="kind">#{change.seq} · {day(change.recorded_at)}</span>{" "}
      {taught(change) && <span>{taught(change)}</span>}{" "}
      {change.added.length > 0 && <span class="plus">+{counted(change.added.length, "node")}</span>}{" "}
      {change.changed.length > 0 && <span>~{change.changed.length} touched</span>}{" "}
      {change.removed.length > 0 && <span class="minus">−{counted(change.removed.length, "node")}</span>}{" "}
      {change.arcs.length > 0 && <span class="plus">+{counted(change.arcs.length, "arc")}</span>}{" "}
      {change.reweighted.length > 0 && <span>~{counted(change.reweighted.length, "arc")} reweighted</span>}{" "}
      {change.cut.length > 0 && <span class="minus">−{counted(change.cut.length, "arc")}</span>}{" "}
      {change.erased_nodes + change.erased_arcs > 0 && (
        <span class="minus">{counted(change.erased_nodes, "node")} and {counted(change.erased_arcs, "arc")} erased</span>
      )}
      {change.more > 0 && <span class="kind"> and {change.more} more</span>}
      <Words change={change} />
    </li>
  );
}

const LISTED = 6;

/** What a change is about, in words: what came, ended or was edited; else some of what it touched. */
function Words({ change }: { change: Change }) {
  const telling = new Set([...change.added, ...change.closed, ...change.edited]);
  const told = change.named.filter((one) => telling.has(one.id));
  const shown = (told.length > 0 ? told : change.named).slice(0, LISTED);
  if (shown.length === 0) return null;
  const added = new Set(change.added);
  const closed = new Set(change.closed);
  return (
    <ul class="named">
      {shown.map((one) => (
        <li key={one.id} class={closed.has(one.id) ? "minus" : added.has(one.id) ? "plus" : undefined}>
          {closed.has(one.id) ? "− " : added.has(one.id) ? "+ " : "~ "}
          <Said {...one} />
          <span class="kind"> {one.kind}{closed.has(one.id) ? ", over" : ""}</span>
        </li>
      ))}
    </ul>
  );
}

function Snapshots() {
  const marks = useSignal<Mark[]>([]);
  const diff = useSignal<Diff | null>(null);
  const load = () => tried(async () => (marks.value = await memory.value!.snapshots()));
  useSignalEffect(() => {
    if (memory.value !== null && stats.value !== null) void load();
    else marks.value = [];
  });
  const compare = (name: string) =>
    tried(async () => {
      diff.value = await memory.value!.diff(name);
      shown.value = new Set([...diff.value.added, ...diff.value.changed].slice(0, 200).map((node) => node.id));
    });
  const leave = () => {
    diff.value = null;
    shown.value = new Set();
  };
  const back = (name: string) =>
    tried(async () => {
      await memory.value!.rollback({ name });
      notice.value = { kind: "done", text: `Back at “${name}”. In the history this is a change too, which can be undone.` };
      leave();
      await refresh();
    });
  const newest = [...new Map(marks.value.map((one) => [one.name, one])).values()].reverse();
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
      {newest.length === 0 && <p class="hint">A snapshot names this moment, to compare with and to go back to.</p>}
      <ul>
        {newest.map((one) => (
          <li key={one.name}>
            <span>{one.name} <span class="kind">#{one.seq}</span></span>
            <span class="buttons">
              <button type="button" aria-label={`Compare with ${one.name}`} onClick={() => void compare(one.name)}>Compare</button>
              <button type="button" aria-label={`Go back to ${one.name}`} onClick={() => void back(one.name)}>Go back</button>
            </span>
          </li>
        ))}
      </ul>
      {diff.value && <Difference diff={diff.value} leave={leave} />}
    </section>
  );
}

function Difference({ diff, leave }: { diff: Diff; leave: () => void }) {
  const over = new Set(diff.closed.map((fact) => fact.id));
  const changed = diff.changed.filter((node) => !over.has(node.id));
  const fresh = diff.added.filter((node) => node.kind !== "episode");
  return (
    <div class="diff">
      <p role="status">
        Since “{diff.since}”: {counted(diff.added.length, "node")} more, {diff.removed.length} gone,{" "}
        {diff.changed.length} changed, {counted(diff.closed.length, "fact")} over; arcs +{diff.arcs_added}{" "}
        −{diff.arcs_removed} ~{diff.arcs_changed}.
      </p>
      <button type="button" class="close" aria-label="Close the comparison" onClick={leave}>×</button>
      <ul>
        {[...fresh, ...diff.added.filter((node) => node.kind === "episode")].slice(0, 30).map((node) => (
          <li key={node.id} class="plus">
            + <Said id={node.id} text={node.text} tentative={node.fact?.tentative} disputed={node.fact?.disputed} />
          </li>
        ))}
        {diff.closed.slice(0, 30).map((fact) => (
          <li key={fact.id} class="minus">− <Said {...fact} current={false} /></li>
        ))}
        {changed.slice(0, 30).map((node) => (
          <li key={node.id}>
            ~ <Said id={node.id} text={node.text} tentative={node.fact?.tentative} disputed={node.fact?.disputed} />
          </li>
        ))}
        {changed.length > 30 && <li class="kind">and {changed.length - 30} more changed</li>}
        {diff.removed.slice(0, 30).map((node) => (
          <li key={node.id} class="minus">− {node.text || `m${node.id}`} <span class="kind">{node.kind}, gone</span></li>
        ))}
        {diff.removed.length > 30 && <li class="kind">and {diff.removed.length - 30} more gone</li>}
      </ul>
    </div>
  );
}
