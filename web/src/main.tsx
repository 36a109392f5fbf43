import { render } from "preact";
import { useEffect } from "preact/hooks";

import { Game } from "./panels/game";
import { Key, Notice } from "./panels/notice";
import { Side } from "./panels/side";
import { Stage } from "./panels/stage";
import { Top } from "./panels/top";
import { begin, place } from "./state";

function Page() {
  useEffect(() => void begin(), []);
  return (
    <>
      <a class="skip" href="#say">To the chat</a>
      <Top />
      <Notice />
      <Key />
      {/* The memory stays while a game is watched: its graph, its chat and its line to the server. */}
      <main hidden={place.value !== "memory"}>
        <Stage />
        <Side />
      </main>
      {place.value === "game" && <main class="single"><Game /></main>}
    </>
  );
}

render(<Page />, document.getElementById("app")!);
