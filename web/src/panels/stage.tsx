import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { SOUGHT } from "../api";
import { drawn } from "../focus";
import { View } from "../graph/view";
import {
  byRegion, choose, chosen, empty, found, landed, map, memory, narrow, past, picture, region, regionPage, seenMap, shown, sought,
  stats, tab, total,
} from "../state";
import { OTHERS } from "../regions";
import { evidence, path } from "../talk";
import { counted } from "../words";
import { List } from "./list";
import { Newcomer } from "./newcomer";
import { Night } from "./night";
import { Said } from "./said";
import { Times } from "./times";

const DRAWN = "mags-drawn";
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

/** The memory as a graph or a list, the search over it, and the times it is looked at. */
export function Stage() {
  const asList = useSignal(false);
  const view = useRef<View | null>(null);
  const leave = () => {
    path.value = null;
    void choose(null);
    if (region.value === null) regionPage.value = 0;
    region.value = null;
  };
  const within = map.value?.regions.find((one) => one.id === region.value);
  return (
    <section class="stage" id="stage" aria-label="The memory" hidden={narrow.value && tab.value !== "graph"}>
      <div class="tools">
        <Search key={memory.value?.name} />
        <div class="buttons" role="group" aria-label="View">
          {(region.value !== null || (byRegion.value && (regionPage.value > 0 || drawn.value !== null))) && (
            <button type="button" onClick={leave}>
              ← {region.value === null || regionPage.value === 0 ? "All regions" : "Smaller regions"}{within ? <span class="quiet"> · in {within.name}</span> : null}
            </button>
          )}
          <button type="button" aria-pressed={asList.value} onClick={() => (asList.value = !asList.value)}>List</button>
          <button type="button" aria-label="Zoom in" onClick={() => view.current?.zoom(1.5)}>+</button>
          <button type="button" aria-label="Zoom out" onClick={() => view.current?.zoom(1 / 1.5)}>−</button>
          <button type="button" onClick={() => view.current?.whole()}>Whole</button>
        </div>
      </div>
      <Found />
      <div class={asList.value ? "field listed" : "field"}>
        <Canvas view={view} />
        {asList.value && <List />}
        {!narrow.value && empty.value && stats.value === null && <Newcomer />}
        <Night />
      </div>
      <Legend />
      <Times />
    </section>
  );
}

function Search() {
  return (
    <form
      role="search"
      onSubmit={(e) => {
        e.preventDefault();
        sought.value = String(new FormData(e.currentTarget).get("words")).trim();
      }}
    >
      <input
        name="words" type="search" placeholder="Search the memory" aria-label="Search the memory"
        disabled={stats.value === null}
        onInput={(e) => {
          if (e.currentTarget.value === "") sought.value = "";
        }}
      />
      <button type="submit" disabled={stats.value === null}>Search</button>
    </form>
  );
}

/** What a search found, above the graph or the list: it covers neither. */
function Found() {
  if (found.value === null) return null;
  const close = () => (sought.value = "");
  return (
    <section class="found" aria-label="What was found" onKeyDown={(e) => e.key === "Escape" && close()}>
      <p role="status">{told(found.value.length)}</p>
      <button type="button" class="close" aria-label="Close what was found" onClick={close}>×</button>
      <ul>
        {found.value.map((hit) => (
          <li key={hit.id}>
            <Said {...hit} /> <span class="kind">{hit.kind}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function told(count: number): string {
  if (count === 0) return "Nothing is found.";
  return count < SOUGHT ? `${counted(count, "memory", "memories")} found` : `The first ${count} that were found`;
}

function Canvas({ view }: { view: { current: View | null } }) {
  const place = useRef<HTMLDivElement>(null);
  const at = useSignal<string | null>(null);
  const stand = (name: string | null) => {
    at.value = name;
    view.current?.stand(name);
  };

  useEffect(() => {
    const made = new View(place.current!, pick);
    view.current = made;
    // For whoever measures: what is drawn, and from when on there is something to be seen.
    Object.assign(place.current!, { seen: () => made.seen() });
    made.onDrawn = () => {
      if (made.graph.order === 0 || performance.getEntriesByName(DRAWN).length > 0) return;
      performance.mark(DRAWN);
    };
  }, []);
  useSignalEffect(() => {
    if (view.current === null) return;
    if (byRegion.value && drawn.value === null) view.current.drawRegions(seenMap.value!);
    else view.current.draw(drawn.value ?? NOTHING);
    for (const change of landed.peek()) view.current.pulse(change);
    landed.value = [];
    // Whoever walks by keyboard stays where it is, unless that is gone or stands for other regions.
    const stays = at.peek() !== null && at.peek() !== `region ${OTHERS}` && view.current.has(at.peek()!);
    stand(stays ? at.peek() : null);
  });
  useSignalEffect(() => {
    view.current?.mark({
      chosen: chosen.value?.node.id ?? null, lit: evidence.value.first, found: shown.value,
    });
  });
  // A path goes through all of the memory.
  useSignalEffect(() => {
    if (path.value !== null) view.current?.whole();
  });
  // Whatever is chosen, here or in a panel, is brought into the middle.
  useSignalEffect(() => {
    if (chosen.value !== null) view.current?.look(String(chosen.value.node.id));
  });
  const onKey = (e: KeyboardEvent) => {
    const arrow = ARROWS[e.key];
    if (arrow) {
      const next = view.current?.next(at.value, ...arrow) ?? null;
      if (next !== null) stand(next);
    } else if (e.key === "Enter" && at.value !== null) pick(at.value);
    else if (e.key === "+" || e.key === "=") view.current?.zoom(1.5);
    else if (e.key === "-") view.current?.zoom(1 / 1.5);
    else if (e.key === "0") view.current?.whole();
    else if (e.key === "Escape") stand(null);
    else return;
    e.preventDefault();
  };
  const words = at.value === null ? "" : view.current?.words(at.value) ?? "";
  return (
    <>
      <div
        class="canvas" ref={place} tabIndex={0} role="application" aria-roledescription="graph"
        aria-label={described(picture.value?.arcs ?? 0)} onKeyDown={onKey} onBlur={() => stand(null)}
      />
      <p class="hidden" role="status">{words}</p>
    </>
  );
}

const NOTHING = { tick: 0, seq: 0, nodes: 0, arcs: 0, dots: [], lines: [] };

function pick(name: string | null): void {
  const inside = name?.match(/^region (-?\d+)$/);
  if (inside && Number(inside[1]) === OTHERS) regionPage.value += 1;
  else if (inside) region.value = Number(inside[1]);
  else void choose(name === null ? null : Number(name));
}

function described(arcs: number): string {
  const held = byRegion.value ? `${counted(map.value?.regions.length ?? 0, "region")} of ${counted(total.value, "node")}`
    : `${counted(total.value, "node")}, ${counted(arcs, "arc")}`;
  return `Graph: ${held}. Arrow keys go from node to node, Enter opens one, plus and minus zoom. The button List shows the same in words.`;
}

function Legend() {
  if (stats.value === null) return null;
  const dots = picture.value?.dots.length ?? 0;
  const some = drawn.value?.dots ?? [];
  const more = !byRegion.value && region.value === null && total.value > dots && !past.value;
  return (
    <p class="legend">
      {past.value && <b class="then">You look at another time. </b>}
      {byRegion.value
        ? "Circle: a region, as large as it holds nodes · line: how strongly two hang together"
        : "Colour: region · width: weight · size: importance and use · pale: fading or over"}
      {some.some((dot) => dot.tentative) ? " · dashed ring: a guess" : ""}
      {some.some((dot) => dot.disputed) ? " · red ring: disputed" : ""}
      {more ? ` · the ${dots.toLocaleString("en")} strongest are shown` : ""}
    </p>
  );
}
