import type { Trail } from "../api";
import { picture } from "../state";
import { evidence, path, pathNodes } from "../talk";
import { counted, reasons, told } from "../words";
import { Said } from "./said";

/** Why the last answer came out so: its own evidence first, then what else was looked at. */
export function Path() {
  if (path.value === null) return null;
  const { carried, first, others } = evidence.value;
  return (
    <section class="path" aria-labelledby="path">
      <h2 id="path">Why this answer</h2>
      <button type="button" class="close" aria-label="Close the reasons" onClick={() => (path.value = null)}>×</button>
      <p class="quiet">
        {carried ? `It rests on ${counted(first.length, "memory", "memories")}.`
          : first.length > 0 ? "No memory answers it. These come closest:" : "Nothing was recalled for it."}
      </p>
      <Trails trails={first} />
      {others.length > 0 && (
        <details>
          <summary>{counted(others.length, "other memory was", "other memories were")} looked at</summary>
          <Trails trails={others} />
        </details>
      )}
    </section>
  );
}

function Trails({ trails }: { trails: Trail[] }) {
  const dots = new Map(picture.value?.dots.map((dot) => [dot.id, dot]));
  const said = (id: number) => {
    const [card, dot] = [pathNodes.value.get(id), dots.get(id)];
    const { tentative, disputed } = card?.fact ?? dot ?? {};
    const current = card ? card.valid_to === null || card.kind === "episode" : dot?.current ?? true;
    return <Said id={id} text={card?.text ?? dot?.label ?? `m${id}`} current={current} tentative={tentative} disputed={disputed} />;
  };
  return (
    <ol class="trails">
      {trails.map((trail) => {
        const card = pathNodes.value.get(trail.id);
        const who = card && told(card);
        return (
          <li key={trail.id}>
            {said(trail.id)}
            {who && <p class="quiet">told by {who}</p>}
            {Object.keys(trail.shares).length > 0 && <details>
              <summary>How it was found</summary>
              {trail.path.length > 0 && (
                <ol class="way" aria-label="The way to it">
                  {nodesOf(trail).map((id, n) => <li key={`${n} ${id}`}>{said(id)}</li>)}
                </ol>
              )}
              <Reasons shares={trail.shares} />
            </details>}
          </li>
        );
      })}
    </ol>
  );
}

/** How recall came to it: from where the question led to, arc by arc. */
function nodesOf({ anchor, path: way }: Trail): number[] {
  const nodes = [anchor || way[0]!.src];
  for (const { src, dst } of way) nodes.push(src === nodes.at(-1) ? dst : src);
  return nodes;
}

function Reasons({ shares }: { shares: Record<string, number> }) {
  const known = reasons(shares);
  if (known.length === 0) return null;
  const most = Math.max(...known.map(({ sum }) => Math.abs(sum)));
  const much = (sum: number) => (sum < 0 ? "against it" : sum > most / 2 ? "much" : sum > most / 6 ? "some" : "a little");
  return (
    <table class="shares">
      <caption>What spoke for it, and against it</caption>
      <tbody>
        {known.map(({ words, sum }) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            <td aria-hidden="true">
              <span class={sum < 0 ? "bar against" : "bar"} style={{ width: `${(100 * Math.abs(sum)) / most}%` }} />
            </td>
            <td>{much(sum)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
