import { createHmac, randomBytes } from "node:crypto";
import { canonicalJson, isRecord, isSameJson } from "@jackfield/mcp-core";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

/** Why a call may be made: `approved` by a person, or `free`, because a function of the program said that no approval is needed. */
type Reason = "approved" | "free";

/** That a call may be made, and of which tool: the digest of the one that was judged. */
export interface Agreement {
  readonly reason: Reason;
  readonly digest: string;
}

/** A call that may be made. */
export interface AgreedCall {
  readonly call: ToolCall;
  /** The digest of the tool that was judged; without one nothing was agreed. */
  readonly digest: string | undefined;
}

/** The keys in `response_metadata` under which a message with calls records agreements. Providers are not sent them. */
const KEYS: { readonly [reason in Reason]: string } = {
  approved: "jackfield/approved",
  free: "jackfield/free",
};

/**
 * Seals the records of this process. Messages may come from a browser, and what it wrote into them approves nothing; nor does what another
 * process recorded, so that a run which is continued after a crash asks again.
 */
const SECRET = randomBytes(32);

/**
 * Records agreements on the model's message, and returns whether that changed the message. Earlier records of the source's own
 * calls are removed: a model cannot say what a person approved.
 *
 * @param thread - the conversation, for which alone the records hold
 */
export function writeAgreements(
  answer: AIMessage,
  ownCalls: readonly ToolCall[],
  found: { readonly [reason in Reason]: readonly AgreedCall[] },
  thread: unknown,
): boolean {
  const ownIds = new Set<unknown>(ownCalls.map(({ id }) => id));
  const written = (Object.keys(KEYS) as Reason[]).map((reason) => {
    const key = KEYS[reason];
    const before = recordsIn(answer, key);
    // The records that stay belong to another such middleware, for the tools of another source.
    const others = before.filter((record) => !ownIds.has(memberOf(record, "id")));
    const own = found[reason].flatMap(({ call, digest }) =>
      digest === undefined ? [] : [recordOf(call, { reason, digest }, thread)],
    );
    const records = [...others, ...own];
    if (isSameJson(records, before)) return false;
    answer.response_metadata = { ...answer.response_metadata, [key]: records };
    return true;
  });
  return written.includes(true);
}

/**
 * The agreement recorded for a call; `undefined` if the call has changed since, if its id is not unique in its message, or if the record
 * was not written here for this conversation.
 */
export function agreementOn(
  messages: readonly BaseMessage[],
  call: ToolCall,
  thread: unknown,
): Agreement | undefined {
  const { id = "" } = call;
  const isOfId = (known: ToolCall) => known.id === id;
  const answer = messages.filter(AIMessage.isInstance).findLast(({ tool_calls }) => tool_calls?.some(isOfId));
  if (id === "" || answer?.tool_calls?.filter(isOfId).length !== 1) return undefined;
  for (const reason of Object.keys(KEYS) as Reason[]) {
    for (const record of recordsIn(answer, KEYS[reason])) {
      const digest = memberOf(record, "digest");
      if (typeof digest !== "string") continue;
      const agreement = { reason, digest };
      if (isSameJson(record, recordOf(call, agreement, thread))) return agreement;
    }
  }
  return undefined;
}

/** The call by value, since another middleware may change the message or the call; as JSON, since a checkpoint restores it so. */
function recordOf({ id, name, args }: ToolCall, { reason, digest }: Agreement, thread: unknown): unknown {
  const record = JSON.parse(JSON.stringify({ id, name, args, digest }));
  const seal = createHmac("sha256", SECRET)
    .update(canonicalJson([reason, thread ?? null, record]))
    .digest("hex");
  return { ...record, seal };
}

function recordsIn({ response_metadata }: BaseMessage, key: string): readonly unknown[] {
  const records: unknown = response_metadata[key];
  return Array.isArray(records) ? records : [];
}

function memberOf(record: unknown, name: string): unknown {
  return isRecord(record) ? record[name] : undefined;
}
