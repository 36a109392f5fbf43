import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { Hit } from "../api";
import { View } from "../graph";
import {
  byRegion, choose, chosen, fresh, map, memory, path, picture, region, step, tried,
} from "../state";

/** The graph, the search over it, and the answer's path step by step. */
export function Canvas() {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<View | null>(null);
  const found = useSignal<Hit[]>([]);

  useEffect(() => {
    view.current = new View(place.current!, (name) => {
      const inside = name?.match(/^region (\d+)$/);
      if (inside) region.value = Number(inside[1]);
      else void choose(name === null ? null : Number(name));
    });
  }, []);

  useSignalEffect(() => {
    const [seen, regions] = [picture.value, map.value];
    if (seen === null || view.current === null) return;
    if (byRegion.value && regions) view.current.drawRegions(regions);
    else view.current.draw(seen);
  });
  useSignalEffect(() => {
    view.current?.mark({
      chosen: chosen.value?.node.id ?? null,
      fresh: fresh.value,
      path: path.value,
      step: step.value,
      found: new Set(found.value.map((hit) => hit.id)),
    });
  });

  // Whatever is chosen, here or in a panel, is brought into the middle.
  useSignalEffect(() => {
    if (chosen.value !== null) view.current?.look(String(chosen.value.node.id));
  });
  const go = (id: number) => void choose(id);
  const seen = picture.value;
  const within = map.value?.regions.find((one) => one.id === region.value);
  return (
    <>
      <div class="tools">
        <form
          role="search"
          onSubmit={(e) => {
            e.preventDefault();
            const words = String(new FormData(e.currentTarget).get("words")).trim();
            void tried(async () => {
              found.value = words && memory.value ? (await memory.value.recall(words)).hits : [];
            });
          }}
        >
          <input name="words" type="search" placeholder="Search the memory" aria-label="Search the memory" />
          <button type="submit">Search</button>
        </form>
        <div role="group" aria-label="View">
          {region.value !== null && (
            <button type="button" onClick={() => (region.value = null)}>
              ← all regions{within ? ` (in ${within.name})` : ""}
            </button>
          )}
          <button type="button" aria-label="Zoom in" onClick={() => view.current?.zoom(1.5)}>+</button>
          <button type="button" aria-label="Zoom out" onClick={() => view.current?.zoom(1 / 1.5)}>−</button>
          <button type="button" onClick={() => view.current?.whole()}>Whole</button>
        </div>
      </div>
      {found.value.length > 0 && (
        <ul class="found" aria-label="What was found">
          {found.value.map((hit) => (
            <li key={hit.id}>
              <button type="button" class={hit.current ? "" : "over"} onClick={() => go(hit.id)}>{hit.text}</button>
            </li>
          ))}
          <li><button type="button" onClick={() => (found.value = [])}>Close</button></li>
        </ul>
      )}
      <div class="canvas" ref={place} role="img" aria-label={described(seen?.nodes ?? 0, seen?.arcs ?? 0)} />
      <details class="list">
        <summary>The graph as a list</summary>
        <ul>
          {byRegion.value
            ? map.value!.regions.map((one) => (
                <li key={one.id}>
                  <button type="button" onClick={() => (region.value = one.id)}>{one.name}</button> {one.size} nodes
                </li>
              ))
            : seen?.dots.slice(0, 300).map((dot) => (
                <li key={dot.id}>
                  <button type="button" class={dot.current ? "" : "over"} onClick={() => go(dot.id)}>{dot.label}</button>{" "}
                  <span class="kind">{dot.kind}</span>
                </li>
              ))}
        </ul>
      </details>
      <p class="legend" aria-hidden="true">
        <span class="square" /> episodes <span class="circle" /> what is known · colour: region · width: weight ·
        pale: fading or over
      </p>
    </>
  );
}

function described(nodes: number, arcs: number): string {
  return `A graph of ${nodes} nodes and ${arcs} arcs. "The graph as a list" below holds the same.`;
}
