import { isRecord, startTimer } from "@jackfield/mcp-core";
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/client";
import type { Conversation } from "./conversation.ts";
import type { PostOutcome } from "./message-post.ts";

export interface SessionRenewalOptions {
  /** Takes the id of the new session from the answer to `initialize`. */
  readonly conversation: Pick<Conversation, "sessionId">;
  /** `0` means no limit. */
  readonly timeoutMs: number;
  /** The `initialize` request of the first session. */
  initialize(): JSONRPCRequest | undefined;
  send(
    message: JSONRPCMessage,
    options: { readonly signal: AbortSignal; onMessage(message: JSONRPCMessage): void },
  ): Promise<PostOutcome>;
  onRenewed(): void;
}

/** Begins a new session when the server has forgotten the old one, because it was restarted or cleans up early. */
export interface SessionRenewal {
  /**
   * Resolves with whether there is a session again. Concurrent callers share one renewal; `isDone` tells late callers that it
   * has already happened.
   */
  renew(isDone: () => boolean): Promise<boolean>;
  /** The renewal that is under way. */
  readonly running: Promise<boolean> | undefined;
  /** Takes the answer to the first `initialize`: later answers must agree with it. */
  remember(result: unknown): void;
  /** The parts in which the server that answered the last attempt differs from the first one. */
  readonly differences: readonly string[];
}

export function createSessionRenewal(options: SessionRenewalOptions): SessionRenewal {
  let agreed: Agreement | undefined;
  let differences: readonly string[] = [];
  let renewing: Promise<boolean> | undefined;
  let attempts = 0;

  const attempt = async (signal: AbortSignal): Promise<boolean> => {
    const original = options.initialize();
    if (!original || agreed === undefined) return false;
    attempts += 1;
    differences = [];
    const id = `renewal-${attempts}`;
    let answer: JSONRPCMessage | undefined;
    // The stream of the answer may bring other messages too.
    const onMessage = (message: JSONRPCMessage) => {
      if (!("method" in message) && message.id === id) answer ??= message;
    };
    await options.send({ ...original, id }, { signal, onMessage });
    if (!answer || !("result" in answer)) return false;
    const answered = agreementOf(answer.result);
    differences = [...agreed].flatMap(([what, value]) => (answered.get(what) === value ? [] : [what]));
    if (differences.length > 0) return false;
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" } as const;
    return (await options.send(initialized, { signal, onMessage() {} })) === "done";
  };

  const attemptInTime = async (): Promise<boolean> => {
    const { sessionId } = options.conversation;
    const controller = new AbortController();
    const { timeoutMs } = options;
    const timer = timeoutMs > 0 ? startTimer(() => controller.abort(), timeoutMs) : undefined;
    const isRenewed = await attempt(controller.signal).catch(() => false);
    clearTimeout(timer);
    // The next message goes to the forgotten session, and is refused. It must not reach a server that was not verified.
    if (!isRenewed) options.conversation.sessionId = sessionId;
    renewing = undefined;
    return isRenewed;
  };
  return {
    renew(isDone) {
      if (renewing) return renewing;
      if (isDone()) return Promise.resolve(true);
      renewing = attemptInTime();
      // `onRenewed` may send at once, so `renewing` must have been cleared by then.
      void renewing.then((isRenewed) => isRenewed && options.onRenewed());
      return renewing;
    },
    get running() {
      return renewing;
    },
    remember(result) {
      agreed ??= agreementOf(result);
    },
    get differences() {
      return differences;
    },
  };
}

/** What a renewal must not change: parts of the `initialize` result as JSON, by their names in errors. */
type Agreement = ReadonlyMap<string, string | undefined>;

/**
 * The owner of a session knows these parts and would not be told of a change. If they differ, this is another server, whose tools
 * nobody has approved (threat T78); if not, it is trusted as the same. Instructions are left out: they are a text for models, and some
 * servers write the time into it.
 */
function agreementOf(result: unknown): Agreement {
  const { protocolVersion, capabilities, serverInfo } = result as { readonly [member: string]: unknown };
  const parts = {
    "name or version (serverInfo)": serverInfo,
    capabilities,
    "protocol version": protocolVersion,
  };
  const written = Object.entries(parts).map(
    ([what, part]) => [what, JSON.stringify(part, withSortedMembers)] as const,
  );
  return new Map(written);
}

/** A server that keeps the members of an object in a hash table may write them in another order after each start. */
function withSortedMembers(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
