import { useSignal, useSignalEffect } from "@preact/signals";

import type { Forgotten, NodeCard } from "../api";
import { changes, choose, chosen, memory, notice, refresh, tried } from "../state";
import { counted, day, relation, told } from "../words";
import { Box } from "./box";
import { Life } from "./life";
import { Marked, Said } from "./said";
import { Undo } from "./undo";

const LISTED = 40;

/** One node: its words, sources and validity; correct, edit, pin, undo, forget. */
export function Card() {
  const writing = useSignal<"correct" | "edit" | null>(null);
  const going = useSignal<Forgotten | null>(null);
  useSignalEffect(() => {
    void chosen.value?.node.id;
    going.value = writing.value = null;
  });
  const found = chosen.value;
  if (found === null) {
    return <p class="hint">Choose a node in the graph, the list or an answer, to see its words, its sources and its life.</p>;
  }
  const { node, beside } = found;
  const { id, kind, fact } = node;
  const change = (what: () => Promise<number>) =>
    tried(async () => {
      const now = await what();
      writing.value = null;
      await Promise.all([choose(now), refresh()]);
    });
  const edit = (fields: unknown) => change(async () => (await memory.value!.edit(id, fields)).id);
  const correct = (right: string) => change(async () => (await memory.value!.correct(id, right || null)).facts[0] ?? id);
  const forget = () =>
    tried(async () => {
      const { out_of_reach: left } = await memory.value!.forget(id, false);
      const done = `m${id} is forgotten, from journal and snapshots too.`;
      notice.value = left.length === 0 ? { kind: "done", text: done }
        : { kind: "error", text: `${done} What a model was taught of it is still there, to be deleted by hand: ${left.join("; ")}` };
      await choose(null);
      await refresh();
    });
  const last = changes.value.find((one) =>
    [one.added, one.closed, one.edited, one.kind === "pin" ? one.changed : []].some((ids) => ids.includes(id)),
  );
  const rivals = beside.filter(({ arc }) => arc === "disputes");
  return (
    <section class="card" aria-labelledby="card">
      <h2 id="card">{kind} m{id}</h2>
      <button type="button" class="close" aria-label="Close the card" onClick={() => void choose(null)}>×</button>
      <p class="text"><Marked text={node.text} current={node.valid_to === null} tentative={fact?.tentative} disputed={fact?.disputed} /></p>
      {rivals.map((one) => (
        <p key={one.id} class="rival">{relation(one.arc, one.outgoing)}: <Said id={one.id} text={one.text} /></p>
      ))}
      {writing.value === null ? (
        <div class="buttons" role="group" aria-label="Change this node">
          {(fact || kind === "episode") && <button type="button" onClick={() => (writing.value = "correct")}>Correct</button>}
          {!fact && <button type="button" onClick={() => (writing.value = "edit")}>Edit</button>}
          <button type="button" aria-pressed={node.pinned} onClick={() => void edit({ pinned: !node.pinned })}>
            {node.pinned ? "Unpin" : "Pin"}
          </button>
          {last && <Undo change={last} />}
          <button type="button" class="danger" onClick={() => void tried(async () => (going.value = await memory.value!.forget(id, true)))}>Forget</button>
        </div>
      ) : (
        <form
          class="edit"
          onSubmit={(e) => {
            e.preventDefault();
            const words = String(new FormData(e.currentTarget).get("words")).trim();
            void (writing.value === "correct" ? correct(words) : edit({ text: words }));
          }}
        >
          {writing.value === "correct" ? (
            <label>What is right (left empty, this is only wrong) <input name="words" autofocus autocomplete="off" placeholder="Bergen, or a sentence" /></label>
          ) : <label>Text <textarea name="words" rows={3} required autofocus defaultValue={node.text} /></label>}
          <div class="buttons">
            <button type="submit" class="main">Save</button>
            <button type="button" onClick={() => (writing.value = null)}>Cancel</button>
          </div>
        </form>
      )}
      {going.value !== null && <Going gone={going.value} leave={() => (going.value = null)} forget={forget} />}
      <Facts node={node} />
      <Life node={node} />
      <h3>Beside it</h3>
      <ul class="beside">
        {beside.slice(0, LISTED).map((one) => (
          <li key={`${one.id} ${one.arc} ${one.outgoing}`}>
            <span class="kind">{relation(one.arc, one.outgoing)}</span>
            <Said id={one.id} text={one.text} />
            <meter min={0} max={1} value={one.weight} aria-label={`weight ${one.weight.toFixed(2)}`} />
          </li>
        ))}
        {beside.length > LISTED && <li class="kind">and {beside.length - LISTED} more</li>}
      </ul>
    </section>
  );
}

/** What would be erased, before it is. */
function Going({ gone, leave, forget }: { gone: Forgotten; leave: () => void; forget: () => void }) {
  const counts = Object.entries(gone.nodes).map(([kind, ids]) => counted(ids.length, kind, kind === "entity" ? "entities" : `${kind}s`));
  const times = new Map<string, number>();
  for (const text of Object.values(gone.texts)) times.set(text, (times.get(text) ?? 0) + 1);
  const texts = [...times];
  return (
    <Box title="Forget for good?" leave={leave}>
      {(close) => (
        <>
          <p>This erases {counts.join(", ")}, from journal and snapshots too. It cannot be undone.</p>
          <ul class="goes">
            {texts.slice(0, LISTED).map(([text, n]) => <li key={text}>{text}{n > 1 ? <span class="kind"> {n} times</span> : null}</li>)}
            {texts.length > LISTED && <li class="kind">and {texts.length - LISTED} more</li>}
          </ul>
          <Taught title="A model was taught it. These are deleted, too:" paths={gone.weights} />
          <Taught title="These cannot be deleted from here, and are to be by hand:" paths={gone.out_of_reach} />
          <div class="buttons">
            <button type="button" class="danger" onClick={() => { close(); forget(); }}>Forget for good</button>
            <button type="button" autofocus onClick={close}>Keep it</button>
          </div>
        </>
      )}
    </Box>
  );
}

/** Files that hold what a model was taught of it. */
function Taught({ title, paths }: { title: string; paths: string[] }) {
  if (paths.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul class="goes">{paths.map((path) => <li key={path}>{path}</li>)}</ul>
    </>
  );
}

function Facts({ node }: { node: NodeCard }) {
  const { fact, kind } = node;
  const who = told(node);
  return (
    <dl>
      {fact && (<><dt>fact</dt><dd>{fact.subject} · {fact.relation} · {fact.object}</dd></>)}
      {who && (<><dt>told by</dt><dd>{who}</dd></>)}
      {kind !== "episode" && (<><dt>holds</dt><dd>{day(node.valid_from) ?? "since ever"} – {day(node.valid_to) ?? "now"}</dd></>)}
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
