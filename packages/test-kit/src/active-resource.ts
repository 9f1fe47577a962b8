import { createHook, type HookCallbacks } from "node:async_hooks";

/** The resources that keep a process alive, by their `async_hooks` names. */
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

/** The stack's first lines: the message, `openingHere` and `init`. */
const FRAMES_OF_HOOK = 3;

/** Declares an option that the types of the oldest supported Node lack. */
interface Hooks extends HookCallbacks {
  readonly trackPromises: boolean;
}

/** Records the resources that are opened while it watches. */
export interface ResourceWatch {
  /** The recorded resources that are still open, one line each, with the place that opened them. */
  current(): readonly string[];
  stop(): void;
}

/**
 * Records resources that are opened from now on. It tracks each one instead of counting them: in a count, a timer that a test
 * leaked could be offset by one of the test runner's that ended meanwhile. Unreferenced resources, such as idle keep-alive
 * sockets and the test runner's time limits, are left out, since they do not keep the process alive.
 */
export function watchResources(): ResourceWatch {
  const open = new Map<number, OpenedResource>();
  const hooks: Hooks = {
    // Tracking makes every promise ten times as expensive. Older Nodes track them regardless.
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
  /** Holds the stack, which is formatted only on demand: most resources are closed before. */
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

/** The first place on the stack outside Node; `undefined` if that is in the test runner, which cleans up after itself. */
function placeOf({ stack = "" }: Error): string | undefined {
  const frames = stack.split("\n").slice(FRAMES_OF_HOOK);
  const caller = frames.find((frame) => !/node:/.test(frame) && !frame.includes("<anonymous>"));
  if (caller && /node_modules[\\/]@?vitest[\\/]/.test(caller)) return undefined;
  return caller?.replace(/^\s*at /, "") ?? "an unknown place";
}
