import type { Writable } from "node:stream";

/** Nobody wonders what is going on before this. */
const SILENT_FOR_MS = 1_000;

/** Says on a terminal's standard error what is being waited for, once it takes more than a second. */
export function startProgressLine(stderr: Writable & { readonly isTTY?: boolean }, text: string): Disposable {
  if (stderr.isTTY !== true) return { [Symbol.dispose]() {} };
  let shown = false;
  const timer = setTimeout(() => {
    shown = true;
    stderr.write(text);
  }, SILENT_FOR_MS);
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      if (shown) stderr.write("\r\u001b[K");
    },
  };
}
