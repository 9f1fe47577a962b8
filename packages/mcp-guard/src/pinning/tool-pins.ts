import type { StateStore, ToolDescriptor, ToolListPolicy } from "@jackfield/mcp-core";
import { diffTools, type ToolChange } from "./tool-diff.ts";
import { type PinState, parsePin, pinStateOf, pinTool, type ToolPin } from "./tool-pin.ts";

/**
 * What happens to a tool that is not as it was accepted. A server's first list is accepted as it is, unless approval is required.
 *
 * - `off`: nothing is compared;
 * - `warn`: it is offered and reported;
 * - `block-changed`: a tool that changed, was added or was renamed is withheld until it is approved;
 * - `require-approval`: so is every tool that was never approved, those of the first list as well.
 */
export type PinPolicy = "off" | "warn" | "block-changed" | "require-approval";

/** A tool that is not as it was accepted. */
export interface PinFinding {
  readonly server: string;
  readonly tool: string;
  readonly state: Exclude<PinState, "approved">;
  readonly isWithheld: boolean;
  /** What changed; empty for a new tool. */
  readonly changes: readonly ToolChange[];
}

export interface ToolPinsOptions {
  /** Default `block-changed`. */
  readonly policy?: PinPolicy | undefined;
  /** Where pins outlive the program. Default: they hold for this run. */
  readonly store?: StateStore | undefined;
  /** Pins that were read elsewhere, for example from a lock file. They beat the store's. */
  readonly pins?: readonly ToolPin[] | undefined;
  /** Hears of every tool that is not as it was accepted, once for each version of it. */
  readonly found?: ((finding: PinFinding) => void) | undefined;
}

export interface ToolPins {
  /** Withholds what the pin policy says. */
  readonly policy: ToolListPolicy;
  /** Tools that were withheld or reported and not approved since. */
  pending(): readonly ToolDescriptor[];
  /**
   * Accepts a server's pending tools, or one of them by its original name, as they are now. They are offered again with
   * the server's next list: call `refreshTools(server)`.
   *
   * @returns how many were accepted.
   */
  approve(server: string, tool?: string): Promise<number>;
  /** Resolves when every pin that was taken is in the store. */
  saved(): Promise<void>;
}

/**
 * Remembers each tool as it was accepted and compares every list with it: live ones and those from the catalog, in this run
 * and the next ([T52] of the threat list: what a server offers later need not be what was accepted).
 */
export async function openToolPins({
  policy = "block-changed",
  store,
  pins: given = [],
  found,
}: ToolPinsOptions = {}): Promise<ToolPins> {
  const pins = await readPins(store);
  for (const pin of given) pins.set(keyOf(pin.server, pin.tool.name), pin);
  const firstLists = trackFirstLists([...pins.values()].map(({ server }) => server));
  const pending = new Map<string, ToolDescriptor>();
  const reported = new Set<string>();
  let saving: Promise<unknown> = Promise.resolve();

  function accept(tool: ToolDescriptor): void {
    const key = keyOf(tool.server, tool.originalName);
    const pin = pinTool(tool);
    pins.set(key, pin);
    pending.delete(key);
    if (store === undefined) return;
    const written = store.set(KEY_PREFIX + key, JSON.stringify(pin.tool));
    saving = Promise.allSettled([saving, written]);
  }

  function judge(tool: ToolDescriptor): ToolDescriptor | { readonly blocked: string } {
    const key = keyOf(tool.server, tool.originalName);
    const pin = pins.get(key);
    const state = pinStateOf(tool, pin);
    if (state === "approved") {
      pending.delete(key);
      return tool;
    }
    if (policy !== "require-approval" && firstLists.isFirst(tool.server)) {
      accept(tool);
      return tool;
    }
    const isWithheld = policy !== "warn";
    pending.set(key, tool);
    const version = `${key}:${pinTool(tool).digest}`;
    if (!reported.has(version)) {
      reported.add(version);
      const changes = pin === undefined ? [] : diffTools(pin.tool, pinTool(tool).tool);
      found?.({ server: tool.server, tool: tool.originalName, state, isWithheld, changes });
    }
    return isWithheld ? { blocked: REASONS[state] } : tool;
  }

  return {
    policy: policy === "off" ? (tool) => tool : judge,
    pending: () => [...pending.values()],
    async approve(server, name) {
      const accepted = [...pending.values()].filter(
        (tool) => tool.server === server && (name === undefined || tool.originalName === name),
      );
      for (const tool of accepted) accept(tool);
      await saving;
      return accepted.length;
    },
    saved: async () => {
      await saving;
    },
  };
}

const REASONS = {
  new: "it is new and was not approved",
  changed: "it is not as it was approved",
} as const;

const KEY_PREFIX = "tool-pin:";

function keyOf(server: string, tool: string): string {
  return `${encodeURIComponent(server.toWellFormed())}:${encodeURIComponent(tool.toWellFormed())}`;
}

async function readPins(store: StateStore | undefined): Promise<Map<string, ToolPin>> {
  const pins = new Map<string, ToolPin>();
  if (store === undefined) return pins;
  const keys = await store.keys(KEY_PREFIX);
  const values = await Promise.all(keys.map((key) => store.get(key)));
  for (const [index, key] of keys.entries()) {
    const server = decodeURIComponent(key.slice(KEY_PREFIX.length).split(":")[0] ?? "");
    const pin = parsePin(server, parseJson(values[index]));
    if (pin !== undefined) pins.set(keyOf(server, pin.tool.name), pin);
  }
  return pins;
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Tells a server's first list from later ones. A list is judged tool by tool in one go, so what is judged in the same turn
 * of the event loop as the first tool belongs to the first list.
 */
function trackFirstLists(known: Iterable<string>) {
  const before = new Set(known);
  const current = new Set<string>();
  return {
    isFirst(server: string): boolean {
      if (before.has(server)) return false;
      if (!current.has(server)) {
        current.add(server);
        queueMicrotask(() => {
          current.delete(server);
          before.add(server);
        });
      }
      return true;
    },
  };
}
