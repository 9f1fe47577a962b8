import { createHook, type HookCallbacks } from "node:async_hooks";

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

/** The message, `openingHere` and `init`. */
const FRAMES_OF_HOOK = 3;

/** Newer than the types of the oldest Node that is supported. */
interface Hooks extends HookCallbacks {
  readonly trackPromises: boolean;
}

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
  const open = new Map<number, OpenedResource>();
  const hooks: Hooks = {
    // Whoever hears of every promise makes each of them ten times as dear. Older Nodes tell of them all the same.
    trackPromises: false,
    init(id, type, _trigger, resource) {
      const kind = KINDS.get(type);
      if (kind) open.set(id, { kind, resource, opening: openingHere() });
    },
    destroy(id) {
      open.delete(id);
    },
  };
  const hook = createHook(hooks).enable();
  return {
    current: () => [...open.values()].filter(({ resource }) => isReferenced(resource)).flatMap(describe),
    stop: () => hook.disable(),
  };
}

interface OpenedResource {
  readonly kind: string;
  readonly resource: object;
  /** Only its stack is of interest, and written out only if it is asked for: most resources are closed before. */
  readonly opening: Error;
}

function openingHere(): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const opening = new Error();
  Error.stackTraceLimit = limit;
  return opening;
}

function isReferenced(resource: object): boolean {
  return !("hasRef" in resource) || typeof resource.hasRef !== "function" || resource.hasRef() === true;
}

function describe({ kind, opening }: OpenedResource): readonly string[] {
  const place = placeOf(opening);
  return place === undefined ? [] : [`${kind} opened at ${place}`];
}

/** The first place on the stack outside Node itself; none if that is in the test runner, which looks after its own. */
function placeOf({ stack = "" }: Error): string | undefined {
  const frames = stack.split("\n").slice(FRAMES_OF_HOOK);
  const caller = frames.find((frame) => !/node:/.test(frame) && !frame.includes("<anonymous>"));
  if (caller && /node_modules[\\/]@?vitest[\\/]/.test(caller)) return undefined;
  return caller?.replace(/^\s*at /, "") ?? "an unknown place";
}
