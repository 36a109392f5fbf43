import { render } from "preact";
import { useEffect } from "preact/hooks";

import { Game } from "./panels/game";
import { Key, Notice } from "./panels/notice";
import { Panel, Tabs } from "./panels/side";
import { Stage } from "./panels/stage";
import { Top } from "./panels/top";
import { begin, narrow, place } from "./state";

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
        {/* In the order in which they are seen, which is that of the keyboard. */}
        {narrow.value && <Tabs key="tabs" />}
        <Stage key="stage" />
        {!narrow.value && <Tabs key="tabs" />}
        <Panel key="panel" />
      </main>
      {place.value === "game" && <main class="single"><Game /></main>}
    </>
  );
}

render(<Page />, document.getElementById("app")!);
