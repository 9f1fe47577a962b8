import {
  type InProcessServer,
  isMcpError,
  McpError,
  type ResolvedInProcessServer,
  thrownMessage,
} from "@jackfield/mcp-core";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { excerpt, redactorOf } from "./errors/wording.ts";
import { TransportFault } from "./faults.ts";
import { checkMessage, isAnswer, unsoundAnswer } from "./message-check.ts";
import type { Transport } from "./transport.ts";

/** The exports in which a module's server is looked for, in this order. */
const EXPORT_NAMES = ["default", "server", "createServer"] as const;

/** The connection to a server in this process. */
export async function openInProcess(entry: ResolvedInProcessServer): Promise<Transport> {
  const { server, isOurs } = await findServer(entry);
  // Errors of a server that fails to close are ignored.
  const [ours, theirs] = linkedPair(async () => {
    if (isOurs) await server.close?.().catch(() => {});
  });
  try {
    await server.connect(theirs as never);
  } catch (error) {
    await ours.close();
    throw error;
  }
  return ours;
}

/** The side of a linked pair that the server in this process gets: a `Transport` of the SDK. */
interface ServerSide {
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  send(message: JSONRPCMessage): Promise<void>;
  close(): Promise<void>;
}

/**
 * Two ends that hand each other copies of their messages, each in a turn of its own: neither side can change what the other holds, and
 * what one side throws does not reach the other.
 */
function linkedPair(onClose: () => Promise<void>): [Transport, ServerSide] {
  let isClosed = false;
  let closing: Promise<void> | undefined;
  const deliver = (message: JSONRPCMessage | undefined, to: Transport | ServerSide) => {
    if (isClosed) throw new TransportFault({ kind: "unwritable" });
    if (message) queueMicrotask(() => !isClosed && to.onmessage?.(message));
  };
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    for (const end of [ours, theirs]) end.onclose?.();
  };
  const ours: Transport = {
    facts: () => ({}),
    async start() {},
    async send(message) {
      deliver(copyOf(message), theirs);
    },
    post(message, follower) {
      if (!follower.isWanted()) return;
      try {
        follower.onWriting();
        deliver(copyOf(message), theirs);
      } catch (error) {
        follower.onFailed(error);
      }
    },
    close() {
      closing ??= close().then(onClose);
      return closing;
    },
  };
  const theirs: ServerSide = {
    async start() {},
    async send(message) {
      deliver(checkMessage(copyOf(message)), ours);
    },
    close,
  };
  return [ours, theirs];
}

/**
 * Follows the rule that is documented at `InProcessServerDefinition`. `isOurs`: the server was made for this connection and is closed with
 * it. An instance that others hold is only disconnected.
 */
async function findServer(
  entry: ResolvedInProcessServer,
): Promise<{ readonly server: InProcessServer; readonly isOurs: boolean }> {
  const { server: source } = entry;
  if (typeof source !== "function") return { server: source, isOurs: false };
  const made = (make: () => unknown) => madeBy(make, entry);
  const given = await made(source);
  if (isServer(given)) return { server: given, isOurs: true };
  const exported = exportsOf(given).find((value) => isServer(value) || typeof value === "function");
  if (isServer(exported)) return { server: exported, isOurs: false };
  const server = typeof exported === "function" ? await made(() => exported()) : undefined;
  if (isServer(server)) return { server, isOurs: true };
  throw new TransportFault({ kind: "no-server-given" });
}

/** Explains the error here: the code of a missing module would otherwise be read as that of an unreachable address. */
async function madeBy(make: () => unknown, entry: ResolvedInProcessServer): Promise<unknown> {
  try {
    return await make();
  } catch (cause) {
    if (isMcpError(cause)) throw cause;
    const { name } = entry;
    const redactor = redactorOf(entry);
    const said = excerpt(thrownMessage(cause), redactor);
    const message = `The function in the entry of server "${name}" failed: ${said}. Correct it, or the module that it imports.`;
    throw new McpError("MCP_CONNECT_FAILED", message, {
      server: name,
      phase: "handshake",
      cause: redactor.hideIn(cause),
    });
  }
}

function exportsOf(module: unknown): readonly unknown[] {
  if (typeof module !== "object" || module === null) return [];
  return EXPORT_NAMES.map((name) => (module as { readonly [name: string]: unknown })[name]);
}

function isServer(value: unknown): value is InProcessServer {
  return (
    typeof value === "object" && value !== null && "connect" in value && typeof value.connect === "function"
  );
}

/** Replaces an answer that cannot be written as JSON, for example a circular one: its request would get no answer. */
function copyOf(message: JSONRPCMessage): JSONRPCMessage {
  try {
    return JSON.parse(JSON.stringify(message));
  } catch (error) {
    if (isAnswer(message)) return unsoundAnswer(message.id, "it cannot be written as JSON");
    throw new TransportFault({ kind: "unserializable" }, { cause: error });
  }
}
