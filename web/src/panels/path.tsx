import { choose, path, step } from "../state";

/** The path of the last answer: lit one hit after another, with what each feature added. */
export function Path() {
  const told = path.value;
  if (told === null) return null;
  const hits = told.trace.hits;
  const hit = hits[step.value - 1];
  const shares = Object.entries(hit?.shares ?? {})
    .filter(([, share]) => Math.abs(share) > 0.005)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const most = Math.max(...shares.map(([, share]) => Math.abs(share)), 1e-9);
  return (
    <section class="path" aria-labelledby="path">
      <h2 id="path">Why this answer</h2>
      <div role="group" aria-label="Steps">
        <button type="button" aria-label="Step back" disabled={step.value <= 1} onClick={() => (step.value -= 1)}>‹</button>
        <span role="status">memory {step.value} of {hits.length}</span>
        <button type="button" aria-label="Step on" disabled={step.value >= hits.length} onClick={() => (step.value += 1)}>›</button>
        <button type="button" aria-label="Close the path" onClick={() => (path.value = null)}>×</button>
      </div>
      {hit && (
        <>
          <p>
            <button type="button" onClick={() => void choose(hit.id)}>m{hit.id}</button> score {hit.score.toFixed(2)}
            {told.trace.cited.includes(hit.id) ? " · cited" : ""}
            {hit.path.length ? ` · ${hit.path.length} arcs from anchor m${hit.anchor}` : " · an anchor itself"}
          </p>
          <table>
            <caption>What each feature added</caption>
            <tbody>
              {shares.slice(0, 8).map(([name, share]) => (
                <tr key={name}>
                  <th scope="row">{name.replaceAll("_", " ")}</th>
                  <td><meter class={share < 0 ? "against" : ""} min={0} max={most} value={Math.abs(share)} aria-label={name} /></td>
                  <td>{share.toFixed(2)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}
