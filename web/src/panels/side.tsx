import { computed } from "@preact/signals";

import { type Tab, chosen, narrow, tab, turn } from "../state";
import { Card } from "./card";
import { Chat } from "./chat";
import { History } from "./history";
import { Path } from "./path";

const TABS: [Tab, string][] = [["chat", "Chat"], ["graph", "Graph"], ["node", "Node"], ["history", "History"]];
/** What is shown; the graph is so by itself wherever there is room. */
const now = computed(() => (tab.value === "graph" && !narrow.value ? "chat" : tab.value));

/** What there is beside the graph, or instead of it where the screen is narrow. */
export function Tabs() {
  const tabs = TABS.filter(([one]) => one !== "graph" || narrow.value);
  const move = (by: number) => {
    const at = tabs.findIndex(([one]) => one === now.value);
    const next = tabs[(at + by + tabs.length) % tabs.length]![0];
    turn(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div
      class="tabs" role="tablist" aria-label={narrow.value ? "The memory" : "Beside the graph"}
      onKeyDown={(e) => {
        if (e.key === "ArrowRight") move(1);
        if (e.key === "ArrowLeft") move(-1);
      }}
    >
      {tabs.map(([one, words]) => (
        <button
          key={one} type="button" role="tab" id={`tab-${one}`} aria-selected={now.value === one}
          aria-controls={one === "graph" ? "stage" : "panel"} tabIndex={now.value === one ? 0 : -1} onClick={() => turn(one)}
        >
          {words}{one === "node" && chosen.value ? ` m${chosen.value.node.id}` : ""}
        </button>
      ))}
    </div>
  );
}

/** Chat with why it answered so, the chosen node, and what happened. */
export function Panel() {
  return (
    <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${now.value}`} tabIndex={-1} hidden={now.value === "graph"}>
      {/* The chat stays, so that what was written in it is not lost. */}
      <div class="talking" hidden={now.value !== "chat"}><Chat /><Path /></div>
      {now.value === "node" && <Card />}
      {now.value === "history" && <History />}
    </div>
  );
}
