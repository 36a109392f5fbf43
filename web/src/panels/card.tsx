import { useSignal } from "@preact/signals";

import type { NodeCard } from "../api";
import { choose, chosen, memory, notice, refresh, tried } from "../state";

/** One node: its words, sources and validity; edit, pin, forget. */
export function Card() {
  const editing = useSignal(false);
  const sure = useSignal(false);
  const found = chosen.value;
  if (found === null) return null;
  const { node, beside } = found;
  const change = (fields: unknown) =>
    tried(async () => {
      await memory.value!.edit(node.id, fields);
      await Promise.all([choose(node.id), refresh()]);
      editing.value = false;
    });
  const forget = () =>
    tried(async () => {
      const gone = await memory.value!.forget(node.id, !sure.value);
      if (gone.dry_run) {
        sure.value = true;
        const counts = Object.entries(gone.nodes).map(([kind, ids]) => `${ids.length} ${kind}`);
        notice.value = { kind: "done", text: `This would erase for good: ${counts.join(", ")}. Press again to do it.` };
        return;
      }
      sure.value = false;
      notice.value = { kind: "done", text: `m${node.id} is forgotten, from journal and snapshots too.` };
      await choose(null);
      await refresh();
    });
  return (
    <section class="card" aria-labelledby="card">
      <h2 id="card">{node.kind} m{node.id}</h2>
      <button type="button" class="close" aria-label="Close the card" onClick={() => void choose(null)}>×</button>
      {editing.value ? (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            const given = new FormData(e.currentTarget);
            const fields: Record<string, unknown> = { importance: Number(given.get("importance")) };
            if (given.get("text") !== node.text) fields.text = given.get("text");
            void change(fields);
          }}
        >
          <label>Text <textarea name="text" rows={3} required>{node.text}</textarea></label>
          <label>
            Importance <input name="importance" type="number" min="0" max="1" step="any" value={node.importance} />
          </label>
          <button type="submit">Save</button>
          <button type="button" onClick={() => (editing.value = false)}>Cancel</button>
        </form>
      ) : (
        <p class="text">{node.text}</p>
      )}
      <Facts node={node} />
      <div role="group" aria-label="Change this node">
        {!editing.value && <button type="button" onClick={() => (editing.value = true)}>Edit</button>}
        <button type="button" aria-pressed={node.pinned} onClick={() => void change({ pinned: !node.pinned })}>
          {node.pinned ? "Unpin" : "Pin"}
        </button>
        <button type="button" class="danger" onClick={() => void forget()}>
          {sure.value ? "Forget for good" : "Forget"}
        </button>
      </div>
      <h3>Beside it</h3>
      <ul class="beside">
        {beside.slice(0, 30).map((one) => (
          <li key={`${one.id} ${one.arc} ${one.outgoing}`}>
            <span class="kind">{one.outgoing ? "→" : "←"} {one.arc}</span>{" "}
            <button type="button" onClick={() => void choose(one.id)}>{one.text}</button>{" "}
            <meter min={0} max={1} value={one.weight} aria-label={`weight ${one.weight.toFixed(2)}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ node }: { node: NodeCard }) {
  const said = typeof node.meta.speaker === "string" ? node.meta.speaker : null;
  return (
    <dl>
      {node.fact && (<><dt>fact</dt><dd>{node.fact.subject} · {node.fact.relation} · {node.fact.object}</dd></>)}
      {said && (<><dt>said by</dt><dd>{said}</dd></>)}
      <dt>holds</dt>
      <dd>{day(node.valid_from) ?? "since ever"} – {day(node.valid_to) ?? "now"}</dd>
      <dt>recorded</dt><dd>{day(node.recorded_at)}</dd>
      <dt>strength</dt>
      <dd><meter min={0} max={1} value={node.strength} /> {node.strength.toFixed(2)}, {node.uses} uses
        {node.cold ? ", cold" : ""}</dd>
      <dt>confidence</dt><dd>{node.confidence.toFixed(2)}</dd>
      {node.sources.length > 0 && (
        <><dt>sources</dt>
        <dd>{node.sources.map((id) => (
          <button type="button" key={id} onClick={() => void choose(id)}>m{id}</button>
        ))}</dd></>
      )}
    </dl>
  );
}

export function day(moment: string | null): string | null {
  return moment === null ? null : moment.slice(0, 10);
}
