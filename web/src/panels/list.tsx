import { useSignal } from "@preact/signals";

import type { Dot } from "../api";
import { drawn } from "../focus";
import { byRegion, map, region } from "../state";
import { counted } from "../words";
import { Said } from "./said";

const PAGE = 100;
const KINDS: [string, string][] = [
  ["fact", "Facts"], ["entity", "People, places, things"], ["note", "Notes"], ["theme", "Themes"], ["episode", "Episodes"],
];

/** What the graph shows, in words. */
export function List() {
  const most = useSignal(PAGE);
  if (byRegion.value && drawn.value === null) {
    return (
      <div class="list" role="region" aria-label="The graph as a list" tabIndex={0}>
        <h2>Regions</h2>
        <ul>
          {map.value!.regions.slice(0, most.value).map((one) => (
            <li key={one.id}>
              <button type="button" class="link" onClick={() => (region.value = one.id)}>{one.name}</button>
              <span class="kind">{counted(one.size, "node")}</span>
            </li>
          ))}
        </ul>
        <More of={map.value!.regions.length} most={most} />
      </div>
    );
  }
  const dots = drawn.value?.dots ?? [];
  return (
    <div class="list" role="region" aria-label="The graph as a list" tabIndex={0}>
      {KINDS.map(([kind, title]) => (
        <Some key={kind} title={title} dots={dots.filter((dot) => dot.kind === kind)} />
      ))}
    </div>
  );
}

function Some({ title, dots }: { title: string; dots: Dot[] }) {
  const most = useSignal(PAGE);
  if (dots.length === 0) return null;
  return (
    <>
      <h2>{title} <span class="kind">{dots.length}</span></h2>
      <ul>
        {dots.slice(0, most.value).map((dot) => (
          <li key={dot.id}>
            <Said {...dot} text={dot.label} />
            {!dot.current && <span class="kind">over</span>}
            {dot.pinned && <span class="kind">pinned</span>}
          </li>
        ))}
      </ul>
      <More of={dots.length} most={most} />
    </>
  );
}

function More({ of, most }: { of: number; most: { value: number } }) {
  if (of <= most.value) return null;
  return <button type="button" onClick={() => (most.value += PAGE)}>Show more of {of}</button>;
}
