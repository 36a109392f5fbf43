import { marked } from "../api";
import { choose, picture } from "../state";
import { leavePath, path, pathNodes, playing, step } from "../talk";

/** The path of the last answer: lit one hit after another, with what each feature added. */
export function Path() {
  const told = path.value;
  if (told === null) return null;
  const hits = told.trace.hits;
  const hit = hits[step.value - 1];
  const go = (to: number) => {
    playing.value = false;
    step.value = to;
  };
  const labels = new Map(picture.value?.dots.map((dot) => [dot.id, marked(dot.label, dot.tentative)]));
  const said = new Map([...pathNodes.value].map(([id, node]) => [id, marked(node.text, node.fact?.tentative, node.fact?.disputed)]));
  const called = (id: number) => said.get(id) ?? labels.get(id) ?? `m${id}`;
  return (
    <section class="path" aria-labelledby="path">
      <h2 id="path">Why this answer</h2>
      <button type="button" class="close" aria-label="Close the path" onClick={leavePath}>×</button>
      {hits.length === 0 && <p>Nothing was recalled for it.</p>}
      {hit && (
        <>
          <div class="steps" role="group" aria-label="Steps">
            <button type="button" aria-label="Step back" disabled={step.value <= 1} onClick={() => go(step.value - 1)}>‹</button>
            <button type="button" aria-pressed={playing.value} onClick={() => {
              if (!playing.value && step.value >= hits.length) step.value = 1;
              playing.value = !playing.value;
            }}>{playing.value ? "Pause" : "Play"}</button>
            <button type="button" aria-label="Step on" disabled={step.value >= hits.length} onClick={() => go(step.value + 1)}>›</button>
            <span role="status">memory {step.value} of {hits.length}</span>
          </div>
          <p class="hit">
            <button type="button" class="link" onClick={() => void choose(hit.id)}>{called(hit.id)}</button>
            {told.trace.cited.includes(hit.id) ? <b class="cited">cited</b> : null}
          </p>
          <Way hit={hit} called={called} />
          <Shares shares={hit.shares} score={hit.score} />
        </>
      )}
    </section>
  );
}

type OneHit = NonNullable<typeof path.value>["trace"]["hits"][number];

/** How recall came to it: from an anchor, arc by arc. */
function Way({ hit, called }: { hit: OneHit; called: (id: number) => string }) {
  if (hit.path.length === 0) {
    return <p class="way">An anchor itself: the question's own words or sense lead to it.</p>;
  }
  const nodes = [hit.anchor || hit.path[0]!.src];
  for (const one of hit.path) nodes.push(one.src === nodes.at(-1) ? one.dst : one.src);
  return (
    <ol class="way" aria-label="The way to it">
      {nodes.map((id, n) => (
        <li key={`${n} ${id}`}>
          {n > 0 && <span class="kind">→ weight {hit.path[n - 1]!.weight.toFixed(2)} </span>}
          <button type="button" class="link" onClick={() => void choose(id)}>{called(id)}</button>
        </li>
      ))}
    </ol>
  );
}

function Shares({ shares, score }: { shares: Record<string, number>; score: number }) {
  const known = Object.entries(shares)
    .filter(([, share]) => Math.abs(share) > 0.005)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const most = Math.max(...known.map(([, share]) => Math.abs(share)), 1e-9);
  return (
    <table class="shares">
      <caption>What each feature added to its score of {score.toFixed(2)}</caption>
      <tbody>
        {known.slice(0, 8).map(([name, share]) => (
          <tr key={name}>
            <th scope="row">{name.replaceAll("_", " ")}</th>
            <td aria-hidden="true">
              <span class={share < 0 ? "bar against" : "bar"} style={{ width: `${(100 * Math.abs(share)) / most}%` }} />
            </td>
            <td>{share > 0 ? "+" : "−"}{Math.abs(share).toFixed(2)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
