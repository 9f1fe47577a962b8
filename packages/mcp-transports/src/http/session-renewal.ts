import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/client";
import { isRecord } from "../plain-values.ts";
import { clampDelay } from "../timer-delay.ts";
import type { PostOutcome } from "./message-post.ts";

export interface SessionRenewalOptions {
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

/** Begins sessions anew that a server has forgotten, be it that it was started anew or that it cleans up early. */
export interface SessionRenewal {
  /**
   * Whether there is a session again. Callers who come together wait for one renewal; `isDone` tells those who come late
   * that it has happened already.
   */
  renew(isDone: () => boolean): Promise<boolean>;
  /** The renewal that is under way. */
  readonly running: Promise<boolean> | undefined;
  /** What the first session was answered with, to which the next ones must be equal. */
  remember(agreement: unknown): void;
}

export function createSessionRenewal(options: SessionRenewalOptions): SessionRenewal {
  let agreed: string | undefined;
  let renewing: Promise<boolean> | undefined;
  let attempts = 0;

  const attempt = async (signal: AbortSignal): Promise<boolean> => {
    const original = options.initialize();
    if (!original || agreed === undefined) return false;
    attempts += 1;
    let answer: JSONRPCMessage | undefined;
    const onMessage = (message: JSONRPCMessage) => {
      answer = message;
    };
    await options.send({ ...original, id: `renewal-${attempts}` }, { signal, onMessage });
    if (!answer || !("result" in answer) || agreementOf(answer.result) !== agreed) return false;
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" } as const;
    return (await options.send(initialized, { signal, onMessage() {} })) === "done";
  };

  const attemptInTime = async (): Promise<boolean> => {
    const controller = new AbortController();
    const { timeoutMs } = options;
    const timer = timeoutMs > 0 ? setTimeout(() => controller.abort(), clampDelay(timeoutMs)) : undefined;
    try {
      return await attempt(controller.signal);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
      renewing = undefined;
    }
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
    remember(agreement) {
      agreed ??= agreementOf(agreement);
    },
  };
}

/**
 * What must not change beneath a session: its owner knows it, and would not be told. By its name, version and instructions a server says
 * that it is another one, whose tools nobody has judged (threat T78); one that says it is the same is believed.
 */
function agreementOf(result: unknown): string {
  const { protocolVersion, capabilities, serverInfo, instructions } = result as {
    readonly [member: string]: unknown;
  };
  return JSON.stringify([protocolVersion, capabilities, serverInfo, instructions], withSortedMembers);
}

/** In which order a server writes the members of an object differs from one start to the next where it keeps them in a hash table. */
function withSortedMembers(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
