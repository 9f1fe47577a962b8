import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/client";
import { isRecord } from "../plain-values.ts";
import { clampDelay } from "../timer-delay.ts";
import type { Conversation } from "./conversation.ts";
import type { PostOutcome } from "./message-post.ts";

export interface SessionRenewalOptions {
  /** Takes the id of the new session from the answer to `initialize`. */
  readonly conversation: Pick<Conversation, "sessionId">;
  /** `0` means no limit. */
  readonly timeoutMs: number;
  /** The request the first session was begun with. */
  initialize(): JSONRPCRequest | undefined;
  send(
    message: JSONRPCMessage,
    options: { readonly signal: AbortSignal; onMessage(message: JSONRPCMessage): void },
  ): Promise<PostOutcome>;
  onRenewed(): void;
}

/** Begins a new session where the server has forgotten the old one, because it was restarted or cleans up early. */
export interface SessionRenewal {
  /**
   * Whether there is a session again. Callers who come together wait for one renewal; `isDone` tells those who come late
   * that it has happened already.
   */
  renew(isDone: () => boolean): Promise<boolean>;
  /** The renewal that is under way. */
  readonly running: Promise<boolean> | undefined;
  /** Takes the answer to the first `initialize`: later answers must agree with it. */
  remember(result: unknown): void;
  /** In what the server differs that answered the last attempt, if it is another one than at first. */
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
    let answer: JSONRPCMessage | undefined;
    const onMessage = (message: JSONRPCMessage) => {
      answer = message;
    };
    await options.send({ ...original, id: `renewal-${attempts}` }, { signal, onMessage });
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
    const timer = timeoutMs > 0 ? setTimeout(() => controller.abort(), clampDelay(timeoutMs)) : undefined;
    const isRenewed = await attempt(controller.signal).catch(() => false);
    clearTimeout(timer);
    // What comes next goes to the forgotten session, and is refused; it must not reach a server that nobody has agreed with.
    if (!isRenewed) options.conversation.sessionId = sessionId;
    renewing = undefined;
    return isRenewed;
  };
  return {
    renew(isDone) {
      if (renewing) return renewing;
      if (isDone()) return Promise.resolve(true);
      renewing = attemptInTime();
      // Whoever hears of it may send at once, so the way must be free by then.
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

/** What must not change beneath a session, each part as JSON under the name that errors give it. */
type Agreement = ReadonlyMap<string, string | undefined>;

/**
 * The owner of a session knows these parts and would not be told of a change. By them a server says that it is another one, whose tools
 * nobody has judged (threat T78); a server that says it is the same is believed. Instructions are no part: they are a text for models,
 * and some servers write the time into it.
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

/** In which order a server writes the members of an object differs from one start to the next where it keeps them in a hash table. */
function withSortedMembers(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
