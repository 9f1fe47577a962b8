import { isRecord, startTimer } from "@jackfield/mcp-core";
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/client";
import type { Conversation } from "./conversation.ts";
import type { PostOutcome } from "./message-post.ts";

export interface SessionRenewalOptions {
  /** Takes the id of the new session from the answer to `initialize`. */
  readonly conversation: Pick<Conversation, "sessionId">;
  /** `0` means no limit. */
  readonly timeoutMs: number;
  /** Resolves when an attempt may begin; its time counts from then. */
  mayBegin(): Promise<void> | undefined;
  /** The `initialize` request of the first session. */
  initialize(): JSONRPCRequest | undefined;
  send(
    message: JSONRPCMessage,
    options: { readonly signal: AbortSignal; onMessage(message: JSONRPCMessage): void },
  ): Promise<PostOutcome>;
  onRenewed(): void;
}

/** Begins a new session when the server has forgotten the old one, because it was restarted or cleans up early. */
export class SessionRenewal {
  readonly #options: SessionRenewalOptions;
  #agreed: Agreement | undefined;
  /** The parts in which the server that answered the last attempt differs from the first one. */
  differences: readonly string[] = [];
  /** The renewal that is under way. */
  running: Promise<boolean> | undefined;
  #attempts = 0;

  constructor(options: SessionRenewalOptions) {
    this.#options = options;
  }

  /** Takes the answer to the first `initialize`: later answers must agree with it. */
  remember(result: unknown): void {
    this.#agreed ??= agreementOf(result);
  }

  /**
   * Resolves with whether there is a session again. Concurrent callers share one renewal; `isDone` tells late callers that it
   * has already happened.
   */
  renew(isDone: () => boolean): Promise<boolean> {
    if (this.running) return this.running;
    if (isDone()) return Promise.resolve(true);
    this.running = this.#attemptInTime();
    // `onRenewed` may send at once, so nothing may be running by then.
    void this.running.then((isRenewed) => isRenewed && this.#options.onRenewed());
    return this.running;
  }

  async #attemptInTime(): Promise<boolean> {
    const { conversation, timeoutMs, mayBegin } = this.#options;
    const { sessionId } = conversation;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const attempt = async () => {
      await mayBegin();
      if (timeoutMs > 0) timer = startTimer(() => controller.abort(), timeoutMs);
      return await this.#attempt(controller.signal);
    };
    const isRenewed = await attempt().catch(() => false);
    clearTimeout(timer);
    // The next message goes to the forgotten session, and is refused. It must not reach a server that was not verified.
    if (!isRenewed) conversation.sessionId = sessionId;
    this.running = undefined;
    return isRenewed;
  }

  async #attempt(signal: AbortSignal): Promise<boolean> {
    const { initialize, send } = this.#options;
    const original = initialize();
    const agreed = this.#agreed;
    if (!original || agreed === undefined) return false;
    this.#attempts += 1;
    this.differences = [];
    const id = `renewal-${this.#attempts}`;
    let answer: JSONRPCMessage | undefined;
    // The stream of the answer may bring other messages too.
    const onMessage = (message: JSONRPCMessage) => {
      if (!("method" in message) && message.id === id) answer ??= message;
    };
    await send({ ...original, id }, { signal, onMessage });
    if (!answer || !("result" in answer)) return false;
    const answered = agreementOf(answer.result);
    this.differences = [...agreed].flatMap(([what, value]) => (answered.get(what) === value ? [] : [what]));
    if (this.differences.length > 0) return false;
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" } as const;
    return (await send(initialized, { signal, onMessage() {} })) === "done";
  }
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
