import { type Logger, type StateStore, thrownText } from "@jackfield/mcp-core";
import { parsePin, type ToolPin } from "./tool-pin.ts";

/** Tools as they were accepted, kept where there is a store. */
export interface PinMemory {
  get(server: string, tool: string): ToolPin | undefined;
  set(pin: ToolPin): void;
  /** Whether tools of this server were accepted before now. A pin that was damaged still tells whose it was. */
  knows(server: string): boolean;
  /** Resolves when every pin that was set is in the store, or could not be written. */
  saved(): Promise<void>;
}

/**
 * Reads what was accepted. A store that fails breaks no start: pins then hold for this run, and nothing is written, so that
 * those it may still hold are not overwritten by what was not compared with them. The logger is told.
 *
 * @param given pins that beat the stored ones, and are not written.
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
      log("warn", "the pin of a tool could not be kept", {
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

/** Names each tool of each server once, in memory and in a store. */
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
    log("error", "the pins of tools could not be read: tools are accepted as they are now, for this run", {
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
