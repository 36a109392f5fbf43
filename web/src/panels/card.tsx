import { useSignal, useSignalEffect } from "@preact/signals";

import { type Fact, type NodeCard, marked } from "../api";
import { choose, chosen, counted, memory, notice, refresh, tried } from "../state";
import { Life } from "./life";

/** One node: its words, sources and validity; edit, pin, forget. */
export function Card() {
  const editing = useSignal(false);
  const sure = useSignal<string | null>(null);
  useSignalEffect(() => {
    void chosen.value?.node.id;
    sure.value = null;
    editing.value = false;
  });
  const found = chosen.value;
  if (found === null) {
    return <p class="hint">Choose a node in the graph, the list or an answer, to see its words, its sources and its life.</p>;
  }
  const { node, beside } = found;
  const change = (fields: unknown) =>
    tried(async () => {
      await memory.value!.edit(node.id, fields);
      await Promise.all([choose(node.id), refresh()]);
      editing.value = false;
      return true;
    });
  const ask = () =>
    tried(async () => {
      const gone = await memory.value!.forget(node.id, true);
      const counts = Object.entries(gone.nodes).map(([kind, ids]) => counted(ids.length, kind, kind === "entity" ? "entities" : `${kind}s`));
      sure.value = `This erases for good, from journal and snapshots too: ${counts.join(", ")}.`;
    });
  const forget = () =>
    tried(async () => {
      await memory.value!.forget(node.id, false);
      notice.value = { kind: "done", text: `m${node.id} is forgotten, from journal and snapshots too.` };
      await choose(null);
      await refresh();
    });
  return (
    <section class="card" aria-labelledby="card">
      <h2 id="card">{node.kind} m{node.id}</h2>
      <button type="button" class="close" aria-label="Close the card" onClick={() => void choose(null)}>×</button>
      {editing.value
        ? <Edit node={node} change={change} leave={() => (editing.value = false)} />
        : <p class={node.valid_to === null ? "text" : "text over"}>{marked(node.text, node.fact?.tentative, node.fact?.disputed)}</p>}
      <div class="buttons" role="group" aria-label="Change this node">
        {!editing.value && <button type="button" onClick={() => (editing.value = true)}>Edit</button>}
        <button type="button" aria-pressed={node.pinned} onClick={() => void change({ pinned: !node.pinned })}>
          {node.pinned ? "Unpin" : "Pin"}
        </button>
        {sure.value === null && <button type="button" class="danger" onClick={() => void ask()}>Forget</button>}
      </div>
      {sure.value !== null && (
        <div class="sure" role="alertdialog" aria-label="Forget for good?">
          <p>{sure.value}</p>
          <button type="button" class="danger" onClick={() => void forget()}>Forget for good</button>{" "}
          <button type="button" onClick={() => (sure.value = null)}>Keep it</button>
        </div>
      )}
      <Facts node={node} />
      <Life node={node} />
      <h3>Beside it</h3>
      <ul class="beside">
        {beside.slice(0, 40).map((one) => (
          <li key={`${one.id} ${one.arc} ${one.outgoing}`}>
            <span class="kind">{one.outgoing ? "→" : "←"} {one.arc}</span>
            <button type="button" class="link" onClick={() => void choose(one.id)}>{one.text}</button>
            <meter min={0} max={1} value={one.weight} aria-label={`weight ${one.weight.toFixed(2)}`} />
          </li>
        ))}
        {beside.length > 40 && <li class="kind">and {beside.length - 40} more</li>}
      </ul>
    </section>
  );
}

const TRIPLE = ["subject", "relation", "object"] as const;

/** Words and importance; of a fact whose new text could not be read also what it is to state. */
function Edit({ node, change, leave }: { node: NodeCard; change: (fields: unknown) => Promise<boolean | undefined>; leave: () => void }) {
  const unread = useSignal(false);
  return (
    <form
      class="edit"
      onSubmit={(e) => {
        e.preventDefault();
        const given = new FormData(e.currentTarget);
        const fields: Record<string, unknown> = {};
        if (given.get("text") !== node.text) fields.text = given.get("text");
        if (Number(given.get("importance")) !== node.importance) fields.importance = Number(given.get("importance"));
        if (unread.value) fields.meta = Object.fromEntries(TRIPLE.map((end) => [end, given.get(end)]));
        if (Object.keys(fields).length === 0) leave();
        else void change(fields).then((done) => (unread.value = done !== true && node.fact !== null));
      }}
    >
      <label>Text <textarea name="text" rows={3} required defaultValue={node.text} /></label>
      {unread.value && TRIPLE.map((end) => (
        <label key={end}>{end[0]!.toUpperCase() + end.slice(1)} <input name={end} required defaultValue={node.fact![end]} /></label>
      ))}
      <label>Importance <input name="importance" type="number" min="0" max="1" step="any" defaultValue={String(node.importance)} /></label>
      <div class="buttons">
        <button type="submit" class="main">Save</button>
        <button type="button" onClick={leave}>Cancel</button>
      </div>
    </form>
  );
}

function Facts({ node }: { node: NodeCard }) {
  const fact = node.fact;
  const said = typeof node.meta.speaker === "string" ? node.meta.speaker : fact && told(fact);
  return (
    <dl>
      {node.fact && (<><dt>fact</dt><dd>{node.fact.subject} · {node.fact.relation} · {node.fact.object}</dd></>)}
      {said && (<><dt>said by</dt><dd>{said}</dd></>)}
      <dt>{node.kind === "episode" ? "said" : "holds"}</dt>
      <dd>{node.kind === "episode" ? day(node.valid_from) ?? "unknown" : `${day(node.valid_from) ?? "since ever"} – ${day(node.valid_to) ?? "now"}`}</dd>
      <dt>recorded</dt><dd>{day(node.recorded_at) ?? "unknown"}</dd>
      <dt>importance</dt><dd>{node.importance.toFixed(2)}{node.cold ? ", cold" : ""}</dd>
      <dt>confidence</dt><dd>{node.confidence.toFixed(2)}</dd>
      {node.sources.length > 0 && (
        <>
          <dt>sources</dt>
          <dd>{node.sources.map((id) => (
            <button type="button" class="id" key={id} onClick={() => void choose(id)}>m{id}</button>
          ))}</dd>
        </>
      )}
    </dl>
  );
}

/** Who said a fact, and when; null for what nobody said. */
function told(fact: Fact): string | null {
  if (!fact.speaker) return null;
  return fact.said_at === null ? fact.speaker : `${fact.speaker}, ${day(fact.said_at)}`;
}

export function day(moment: string | null): string | null {
  return moment === null ? null : moment.slice(0, 10);
}
