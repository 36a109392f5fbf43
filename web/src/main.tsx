import { render } from "preact";
import { useEffect } from "preact/hooks";

import { Canvas } from "./panels/canvas";
import { Card } from "./panels/card";
import { Chat } from "./panels/chat";
import { History } from "./panels/history";
import { Notice, Key } from "./panels/notice";
import { Path } from "./panels/path";
import { Times } from "./panels/times";
import { Top } from "./panels/top";
import { begin } from "./state";

function Page() {
  useEffect(() => void begin(), []);
  return (
    <>
      <a class="skip" href="#say">To the chat</a>
      <Top />
      <Notice />
      <Key />
      <main>
        <section class="stage" aria-label="The memory as a graph">
          <Canvas />
          <Times />
        </section>
        <div class="side">
          <Chat />
          <Path />
          <Card />
          <History />
        </div>
      </main>
    </>
  );
}

render(<Page />, document.getElementById("app")!);
