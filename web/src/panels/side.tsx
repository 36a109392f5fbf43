import { type Tab, chosen, tab, turn } from "../state";
import { Card } from "./card";
import { Chat } from "./chat";
import { History } from "./history";
import { Path } from "./path";

const TABS: [Tab, string][] = [["chat", "Chat"], ["node", "Node"], ["history", "History"]];

/** Chat with the path of the answer, the chosen node, and what happened. */
export function Side() {
  const now = tab.value;
  const move = (by: number) => {
    const at = TABS.findIndex(([one]) => one === now);
    const next = TABS[(at + by + TABS.length) % TABS.length]![0];
    turn(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="side">
      <div
        class="tabs" role="tablist" aria-label="Beside the graph"
        onKeyDown={(e) => {
          if (e.key === "ArrowRight") move(1);
          if (e.key === "ArrowLeft") move(-1);
        }}
      >
        {TABS.map(([one, words]) => (
          <button
            key={one} type="button" role="tab" id={`tab-${one}`} aria-selected={now === one} aria-controls="panel"
            tabIndex={now === one ? 0 : -1} onClick={() => turn(one)}
          >
            {words}{one === "node" && chosen.value ? ` m${chosen.value.node.id}` : ""}
          </button>
        ))}
      </div>
      <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${now}`} tabIndex={-1}>
        {/* The chat stays, so that what was written in it is not lost. */}
        <div class="talking" hidden={now !== "chat"}><Chat /><Path /></div>
        {now === "node" && <Card />}
        {now === "history" && <History />}
      </div>
    </div>
  );
}
