import { choose } from "../state";

interface Words { id: number; text: string; current?: boolean; tentative?: boolean | undefined; disputed?: boolean | undefined }

/** A memory's words, which lead to its card; marked where it is over, a guess or disputed. */
export function Said({ id, ...words }: Words) {
  return <button type="button" class="link" onClick={() => void choose(id)}><Marked {...words} /></button>;
}

export function Marked({ text, current = true, tentative = false, disputed = false }: Omit<Words, "id">) {
  return (
    <>
      <span class={current ? undefined : "over"}>{text}</span>
      {tentative && <>{" "}<span class="mark guess" title="It was not surely read: it ends nothing, and is asked for last.">a guess</span></>}
      {disputed && <>{" "}<span class="mark disputed" title="Somebody whose word counts for more says otherwise.">disputed</span></>}
    </>
  );
}
