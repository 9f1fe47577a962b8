import { type Logger, type StateStore, thrownText } from "@jackfield/mcp-core";
import { parsePin, type ToolPin } from "./tool-pin.ts";

/** The pins of accepted tools, persisted if there is a store. */
export interface PinMemory {
  get(server: string, tool: string): ToolPin | undefined;
  set(pin: ToolPin): void;
  /** Whether the store held pins of this server when it was opened, damaged ones included. */
  knows(server: string): boolean;
  /** Resolves when every pin that was set is in the store, or could not be written. */
  saved(): Promise<void>;
}

/**
 * Reads the stored pins. If the store cannot be read, that is logged, pins hold for this run only, and nothing is written:
 * tools that were not compared with the stored pins must not overwrite them.
 *
 * @param given - pins that take precedence over the stored ones and are not written.
 */
export async function openPinMemory(
  store: StateStore | undefined,
  log: Logger,
  given: readonly ToolPin[],
): Promise<PinMemory> {
  const stored = store === undefined ? NOTHING : await readPins(store, log);
  const accepted = [...(stored ?? NOTHING).pins, ...given];
  const pins = new Map(accepted.map((pin) => [keyOf(pin.server, pin.tool.name), pin]));
  const servers = new Set((stored ?? NOTHING).servers);
  const writable = stored === undefined ? undefined : store;
  let saving: Promise<unknown> = Promise.resolve();

  async function write(key: string, { server, tool }: ToolPin): Promise<void> {
    try {
      await writable?.set(KEY_PREFIX + key, JSON.stringify(tool));
    } catch (error) {
      log("warn", "The pin of a tool could not be stored.", {
        server,
        tool: tool.name,
        error: thrownText(error),
      });
    }
  }

  return {
    get: (server, tool) => pins.get(keyOf(server, tool)),
    set(pin) {
      const key = keyOf(pin.server, pin.tool.name);
      pins.set(key, pin);
      saving = Promise.all([saving, write(key, pin)]);
    },
    knows: (server) => servers.has(server),
    saved: async () => {
      await saving;
    },
  };
}

const KEY_PREFIX = "tool-pin:";
const NOTHING: StoredPins = { pins: [], servers: [] };

interface StoredPins {
  readonly pins: readonly ToolPin[];
  readonly servers: readonly string[];
}

/** The unique key of a tool of a server, in memory and in a store. */
function keyOf(server: string, tool: string): string {
  return `${encodeURIComponent(server.toWellFormed())}:${encodeURIComponent(tool.toWellFormed())}`;
}

async function readPins(store: StateStore, log: Logger): Promise<StoredPins | undefined> {
  try {
    const keys = await store.keys(KEY_PREFIX);
    const servers = keys.map(serverOf);
    const texts = await Promise.all(keys.map((key) => store.get(key)));
    const pins = servers.map((server, index) => parsePin(server, parseJson(texts[index])));
    return { pins: pins.filter((pin) => pin !== undefined), servers };
  } catch (error) {
    log("error", "The pins of tools could not be read: for this run, tools are accepted as they are now.", {
      error: thrownText(error),
    });
    return undefined;
  }
}

function serverOf(key: string): string {
  const [encoded = ""] = key.slice(KEY_PREFIX.length).split(":");
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
