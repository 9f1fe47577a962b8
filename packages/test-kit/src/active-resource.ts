import { createHook } from "node:async_hooks";

/** What keeps a process alive, by the names `async_hooks` has for it. */
const KINDS = new Map([
  ["Timeout", "timer"],
  ["PROCESSWRAP", "child process"],
  ["PIPEWRAP", "pipe"],
  ["PIPESERVERWRAP", "pipe server"],
  ["TCPWRAP", "socket"],
  ["TCPSERVERWRAP", "server"],
  ["UDPWRAP", "UDP socket"],
  ["WORKER", "worker"],
  ["FSEVENTWRAP", "file watcher"],
]);

/** The message, `placeOfOpening` and `init`. */
const FRAMES_OF_HOOK = 3;

/** Sees what is opened while it watches. */
export interface ResourceWatch {
  /** What was opened and is still open, one line each, with the place that opened it. */
  current(): readonly string[];
  stop(): void;
}

/**
 * Watches what is opened from now on. Resources are followed one by one, not counted: a count would let a timer that a
 * test leaked pass for one of the test runner's that happened to end meanwhile. What is unreferenced is left out, since it
 * keeps nothing alive; among that are idle keep-alive sockets and the test runner's time limits.
 */
export function watchResources(): ResourceWatch {
  const open = new Map<number, { kind: string; resource: object; openedAt: string }>();
  const hook = createHook({
    init(id, type, _trigger, resource) {
      const kind = KINDS.get(type);
      const openedAt = kind && placeOfOpening();
      if (kind && openedAt) open.set(id, { kind, resource, openedAt });
    },
    destroy(id) {
      open.delete(id);
    },
  });
  hook.enable();
  return {
    current: () =>
      [...open.values()]
        .filter(({ resource }) => isReferenced(resource))
        .map(({ kind, openedAt }) => `${kind} opened at ${openedAt}`),
    stop: () => hook.disable(),
  };
}

function isReferenced(resource: object): boolean {
  return !("hasRef" in resource) || typeof resource.hasRef !== "function" || resource.hasRef() === true;
}

/** The first place on the stack outside Node itself; none if that is in the test runner, which looks after its own. */
function placeOfOpening(): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const frames = (new Error().stack ?? "").split("\n").slice(FRAMES_OF_HOOK);
  Error.stackTraceLimit = limit;
  const caller = frames.find((frame) => !/node:/.test(frame) && !frame.includes("<anonymous>"));
  if (caller && /node_modules[\\/]@?vitest[\\/]/.test(caller)) return undefined;
  return caller?.replace(/^\s*at /, "") ?? "an unknown place";
}
