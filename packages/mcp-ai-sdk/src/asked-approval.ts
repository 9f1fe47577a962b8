import { createHash } from "node:crypto";
import { canonicalJson, isSameJson, type StateStore } from "@jackfield/mcp-core";

/** A call that the AI SDK is about to make. */
export interface PendingCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** Where questions are remembered, and for whom they were asked. */
export interface AskedCallsOptions {
  readonly approvalStore?: Pick<StateStore, "get" | "set" | "delete"> | undefined;
  readonly principal?: string | undefined;
}

/**
 * The questions that this program has asked: a message history comes from a browser, and an answer in it counts only if its question is
 * found here. A question is about one call: its id, tool and input.
 */
export interface AskedCalls {
  /** @param digest - of the tool that is shown. A store that fails forgets the question, so that its answer approves nothing */
  remember(call: PendingCall, digest: string): Promise<void>;
  /** Takes a question out, so that its answer approves one call. @returns the digest of the tool that was shown; `undefined` if it was never asked */
  take(call: PendingCall): Promise<string | undefined>;
}

/** How many questions are remembered without a store; beyond that the oldest is forgotten. */
const MOST_QUESTIONS = 10_000;
const KEY_PREFIX = "ai-sdk-question:";

/** Shared by all tool sets of the process, because every request makes its own. */
const askedHere = new Map<string, string>();

const memory: NonNullable<AskedCallsOptions["approvalStore"]> = {
  get: async (key) => askedHere.get(key),
  async set(key, digest) {
    askedHere.delete(key);
    askedHere.set(key, digest);
    const [oldest] = askedHere.keys();
    if (askedHere.size > MOST_QUESTIONS && oldest !== undefined) askedHere.delete(oldest);
  },
  async delete(key) {
    askedHere.delete(key);
  },
};

/** Questions that are being taken: two requests of one moment must not both find one. */
const taken = new Set<string>();

export function createAskedCalls({ approvalStore = memory, principal }: AskedCallsOptions): AskedCalls {
  const keyOf = (call: PendingCall) => `${KEY_PREFIX}${callKey(call, principal)}`;
  return {
    async remember(call, digest) {
      try {
        await approvalStore.set(keyOf(call), digest);
      } catch {
        // The answer will not be believed, and the model is told to call again.
      }
    },
    async take(call) {
      let key: string | undefined;
      try {
        const asked = keyOf(call);
        if (taken.has(asked)) return undefined;
        key = asked;
        taken.add(key);
        const digest = await approvalStore.get(key);
        // Awaited before the call is made, so that a crash cannot leave a used question behind.
        if (digest !== undefined) await approvalStore.delete(key);
        return digest;
      } catch {
        return undefined;
      } finally {
        if (key !== undefined) taken.delete(key);
      }
    },
  };
}

/** Identifies a call by its content. @throws TypeError for input that cannot be written as JSON */
export function callKey({ toolCallId, toolName, input }: PendingCall, principal?: string): string {
  const content = canonicalJson([principal ?? null, toolCallId, toolName, asJson(input)]);
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Whether the messages end with an answer about a call. Then the SDK asks the tool's policy again about a question that is said to have
 * been asked, and is not asking a person now. Errs on the side of yes: an answer to a question that nobody remembers approves nothing.
 */
export function endsWithAnswer(messages: unknown, toolCallId: string): boolean {
  if (!Array.isArray(messages)) return true;
  const answers = contentOf(messages.at(-1)).filter(({ type }) => type === "tool-approval-response");
  if (answers.length === 0) return false;
  const answered = new Set(answers.map(({ approvalId }) => String(approvalId)));
  return partsOf(messages).some(
    (part) =>
      part.type === "tool-approval-request" &&
      answered.has(String(part.approvalId)) &&
      String(part.toolCallId ?? part.toolCall?.toolCallId) === toolCallId,
  );
}

/**
 * Whether a person approved a call, according to the messages, in which the AI SDK keeps its approvals. The SDK itself checks the
 * response before it runs such a call; this only finds out whether there is one. That its question was asked is another matter: see
 * `AskedCalls`.
 *
 * Models choose the ids of calls, and some start over in each message. So an approval counts only for the last call with that id,
 * until it has a result, and for no other tool or input.
 */
export function wasApproved(messages: unknown, call: PendingCall): boolean {
  // Most conversations have no approval: they are scanned once, and nothing is built from them.
  return Array.isArray(messages) && messages.some(hasApproval) && isLastCallApproved(partsOf(messages), call);
}

function hasApproval(message: unknown): boolean {
  return contentOf(message).some((part) => part.type === "tool-approval-response" && part.approved === true);
}

function isLastCallApproved(parts: readonly Part[], { toolCallId, toolName, input }: PendingCall): boolean {
  const requests = new Set<unknown>();
  let currentCall: NamedCall | undefined;
  let isApproved = false;
  const begin = (call: NamedCall | undefined) => {
    requests.clear();
    currentCall = call;
    isApproved = false;
  };
  for (const part of parts) {
    if (part.type === "tool-approval-response") {
      if (requests.has(part.approvalId)) isApproved = part.approved === true;
    } else if ((part.toolCallId ?? part.toolCall?.toolCallId) === toolCallId) {
      if (part.type === "tool-call") begin(part);
      if (part.type === "tool-result") begin(undefined);
      if (part.type === "tool-approval-request") {
        if (part.toolCall !== undefined) begin(part.toolCall);
        requests.add(part.approvalId);
      }
    }
  }
  return isApproved && currentCall?.toolName === toolName && isSameInput(currentCall.input, input);
}

/** Compares inputs as JSON, since messages are stored so. */
function isSameInput(one: unknown, other: unknown): boolean {
  try {
    return isSameJson(asJson(one), asJson(other));
  } catch {
    return false;
  }
}

function asJson(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input ?? {}));
}

interface NamedCall {
  readonly toolName?: unknown;
  readonly input?: unknown;
}

interface Part extends NamedCall {
  readonly type?: unknown;
  readonly approvalId?: unknown;
  readonly approved?: unknown;
  readonly toolCallId?: unknown;
  readonly toolCall?: (NamedCall & { readonly toolCallId?: unknown }) | undefined;
}

function partsOf(messages: readonly unknown[]): readonly Part[] {
  return messages.flatMap(contentOf);
}

function contentOf(message: unknown): readonly Part[] {
  if (typeof message !== "object" || message === null || !("content" in message)) return [];
  return Array.isArray(message.content) ? (message.content as Part[]) : [];
}
