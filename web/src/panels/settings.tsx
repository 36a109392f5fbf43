import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { type Model, Problem, chooseModel, model, restoreModel } from "../api";
import { needsKey, refresh, stats } from "../state";
import { Box } from "./box";

/** Which language model answers; the key goes in and never comes out. */
export function Settings({ leave }: { leave: () => void }) {
  const now = useSignal<Model | null>(null);
  const told = useSignal<{ kind: "error" | "done"; text: string } | null>(null);
  const attempt = async (what: () => Promise<Model>, done: (found: Model) => string) => {
    try {
      now.value = await what();
      const text = done(now.value);
      told.value = text ? { kind: "done", text } : null;
      if (text) await refresh();
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      if (failure.status === 401) needsKey.value = true;
      told.value = { kind: "error", text: failure.message };
    }
  };
  useEffect(() => {
    void attempt(model, () => "");
  }, []);
  const answers = (found: Model) =>
    found.url ? `From now on ${found.model || "the first model"} at ${found.url} answers.` : "From now on no model answers: the memory is quoted.";
  const known = now.value;
  return (
    <Box title="Settings" leave={leave}>
      {() => <>
      <p>
        A language model may phrase the answers: any endpoint that speaks OpenAI's API, here or in a cloud. Without one
        the memory answers by quoting itself.
      </p>
      {known && (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            const given = new FormData(e.currentTarget);
            const word = (name: string) => String(given.get(name) ?? "").trim();
            const secret = given.get("drop") ? "" : word("key") || null;
            void attempt(() => chooseModel(word("url"), word("model"), secret), answers);
          }}
        >
          <label>Address <input name="url" type="url" placeholder="http://localhost:8000/v1" defaultValue={known.url} autocomplete="off" /></label>
          <label>Model <input name="model" placeholder="the first that the endpoint lists" defaultValue={known.model} autocomplete="off" /></label>
          <label>
            Key <input name="key" type="password" autocomplete="off" placeholder={known.key_set ? "one is set; empty keeps it" : "none"} />
          </label>
          {known.key_set && <label class="check"><input name="drop" type="checkbox" /> Remove the key that is set</label>}
          <div class="buttons">
            <button type="submit" class="main">Save</button>
            <button type="button" onClick={() => void attempt(restoreModel, (found) => `As the server is configured. ${answers(found)}`)}>
              As configured
            </button>
          </div>
        </form>
      )}
      <p role="status" class={told.value?.kind === "error" ? "minus" : "plus"}>{told.value?.text}</p>
      {stats.value && (
        <>
          <h3>At work in this memory</h3>
          <dl>
            <dt>reads and writes by</dt><dd>{stats.value.policy}</dd>
            <dt>answers by</dt><dd>{stats.value.answerer}</dd>
            <dt>embeds by</dt><dd>{stats.value.embedder}</dd>
          </dl>
        </>
      )}
      </>}
    </Box>
  );
}
