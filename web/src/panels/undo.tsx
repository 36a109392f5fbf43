import { useSignal } from "@preact/signals";

import type { Change } from "../api";
import { choose, chosen, memory, notice, refresh, tried } from "../state";
import { counted, deed } from "../words";
import { Box } from "./box";
import { Marked } from "./said";

const LISTED = 12;

/** Takes back a change and what came after it; what that is, is told first. */
export function Undo({ change }: { change: Change }) {
  const since = useSignal<Change[] | null>(null);
  const what = deed(change);
  const look = () => tried(async () => (since.value = await memory.value!.changes(change.seq - 1, 1000)));
  const undo = (taken: Change[]) =>
    tried(async () => {
      await memory.value!.rollback({ seq: change.seq - 1 });
      const shown = chosen.value?.node.id;
      const goes = taken.some(({ added }) => shown !== undefined && added.includes(shown));
      notice.value = { kind: "done", text: "Taken back. In the history this is a change too, which can be undone." };
      await Promise.all([refresh(), shown !== undefined && choose(goes ? null : shown, false)]);
    });
  const words = since.value?.flatMap(({ named, added, closed, edited }) =>
    named.filter(({ kind }) => kind !== "entity").flatMap((one) => {
      const fate = added.includes(one.id) ? "goes" : closed.includes(one.id) ? "holds again" : edited.includes(one.id) ? "as before" : "";
      return fate ? [{ ...one, fate }] : [];
    }),
  );
  return (
    <>
      <button type="button" aria-label={`Undo change ${change.seq}: ${what}`} onClick={() => void look()}>Undo</button>
      {since.value && words && (
        <Box title={`Undo “${what}”?`} leave={() => (since.value = null)}>
          {(close) => (
            <>
              <p>
                This takes back {counted(since.value!.length, "change")}
                {since.value!.length > 1 ? ": this one, and all that came after it, whoever made it" : ""}. What was forgotten
                stays so.
              </p>
              <ul class="goes">
                {words.slice(0, LISTED).map(({ fate, ...one }) => (
                  <li key={`${one.id} ${fate}`}><span class={fate === "goes" ? "fate minus" : "fate plus"}>{fate}</span> <Marked {...one} current /></li>
                ))}
                {words.length > LISTED && <li class="kind">and {words.length - LISTED} more</li>}
              </ul>
              <div class="buttons">
                <button type="button" class="main" onClick={() => { void undo(since.value!); close(); }}>Undo</button>
                <button type="button" autofocus onClick={close}>Leave it</button>
              </div>
            </>
          )}
        </Box>
      )}
    </>
  );
}
