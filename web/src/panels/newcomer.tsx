import { memory } from "../state";
import { fill, filling, say } from "../talk";

const FIRST = ["My name is Ana and I live in Porto.", "My brother Bo has a dog named Biscuit.", "Where do I live?"];

/** What to do first, where nothing is remembered yet. */
export function Newcomer() {
  return (
    <section class="newcomer" aria-labelledby="newcomer">
      <h2 id="newcomer">Nothing is remembered in “{memory.value?.name}” yet</h2>
      <p>
        Tell it something in the chat. It keeps every turn word for word, reads facts out of it, joins what belongs
        together, and shows here what it does. Then ask, and see what the answer rests on.
      </p>
      <ol>
        {FIRST.map((words) => (
          <li key={words}>
            <button type="button" disabled={filling.value} onClick={() => void say(words)}>{words}</button>
          </li>
        ))}
      </ol>
      <p>
        Or look at one that has lived:{" "}
        <button type="button" disabled={filling.value} onClick={() => void fill()}>Fill it with an example</button>
      </p>
      <p class="quiet">No model is needed: answers quote the memory. To have a model answer, open Settings.</p>
    </section>
  );
}
