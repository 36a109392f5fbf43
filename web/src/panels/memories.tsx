import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { memories } from "../api";
import { memory, open, tried } from "../state";
import { Box } from "./box";

const PAGE = 50;

/** Another memory, by how its name begins: there may be many thousands. */
export function Switch() {
  const choosing = useSignal(false);
  return (
    <>
      <button type="button" class="switch" aria-haspopup="dialog" onClick={() => (choosing.value = true)}>
        <span class="hidden">Memory </span>{memory.value?.name ?? "…"} <span aria-hidden="true">▾</span>
      </button>
      {choosing.value && <Box title="Memories" leave={() => (choosing.value = false)}>{(close) => <Names close={close} />}</Box>}
    </>
  );
}

function Names({ close }: { close: () => void }) {
  const prefix = useSignal("");
  const names = useSignal<string[]>([]);
  const more = useSignal(false);
  const load = (after: string) =>
    tried(async () => {
      const wanted = prefix.value;
      const found = (await memories(wanted, PAGE + 1, after)).memories;
      if (prefix.value !== wanted) return; // more was typed meanwhile
      names.value = [...(after ? names.value : []), ...found.slice(0, PAGE)];
      more.value = found.length > PAGE;
    });
  useEffect(() => void load(""), [prefix.value]);
  const go = (name: string) => {
    close();
    void open(name);
  };
  const walk = (e: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const by = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
    if (by === 0) return;
    const all = [...e.currentTarget.querySelectorAll<HTMLElement>("input, li button, ul ~ button")];
    all[all.indexOf(document.activeElement as HTMLElement) + by]?.focus();
    e.preventDefault();
  };
  return (
    <div class="names" onKeyDown={walk}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          const wanted = prefix.value; // the names beneath may be those of fewer letters still
          void tried(async () => go((await memories(wanted)).memories[0] ?? wanted));
        }}
      >
        <input
          name="name" autocomplete="off" required autofocus aria-label="Name of the memory" placeholder="how its name begins"
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" value={prefix.value} onInput={(e) => (prefix.value = e.currentTarget.value.trim())}
        />
        <button type="submit">Open</button>
      </form>
      <p class="quiet" role="status">
        {names.value.length === 0 ? "No name begins so." : more.value ? `The first ${names.value.length}: more letters, fewer names.` : ""}
      </p>
      <ul>
        {names.value.map((name) => (
          <li key={name}>
            <button type="button" class="link" aria-current={name === memory.value?.name} onClick={() => go(name)}>{name}</button>
          </li>
        ))}
      </ul>
      {prefix.value !== "" && !names.value.includes(prefix.value) && (
        <button type="button" onClick={() => go(prefix.value)}>Begin “{prefix.value}”</button>
      )}
      {more.value && <button type="button" onClick={() => void load(names.value.at(-1)!)}>Show more</button>}
    </div>
  );
}
