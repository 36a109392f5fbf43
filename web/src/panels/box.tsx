import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Given { title: string; leave: () => void; children: (close: () => void) => ComponentChildren }

/** A dialog over the page: Escape closes it, and the keyboard is back where it was opened. */
export function Box({ title, leave, children }: Given) {
  const box = useRef<HTMLDialogElement>(null);
  const close = () => box.current?.close();
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} aria-labelledby="box" onClose={leave}>
      <h2 id="box">{title}</h2>
      <button type="button" class="close" aria-label="Close" onClick={close}>×</button>
      {children(close)}
    </dialog>
  );
}
