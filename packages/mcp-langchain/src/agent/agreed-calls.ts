import { isDeepStrictEqual } from "node:util";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

/** Why a call may be made: `approved` by a person, or `free`, because a function of the program said that no approval is needed. */
type Agreement = "approved" | "free";

/** The keys in `response_metadata` under which a message with calls records agreements. Providers are not sent them. */
const KEYS: { readonly [agreement in Agreement]: string } = {
  approved: "jackfield/approved",
  free: "jackfield/free",
};

/**
 * Records agreements on the model's message, and returns whether that changed the message. Earlier records of the source's own
 * calls are removed: a model cannot say what a person approved.
 */
export function writeAgreements(
  answer: AIMessage,
  ownCalls: readonly ToolCall[],
  found: { readonly [agreement in Agreement]: readonly ToolCall[] },
): boolean {
  const ownIds = new Set<unknown>(ownCalls.map(({ id }) => id));
  const written = Object.entries(KEYS).map(([agreement, key]) => {
    const before = recordsIn(answer, key);
    // The records that stay belong to another such middleware, for the tools of another source.
    const others = before.filter((record) => !ownIds.has(idOf(record)));
    const records = [...others, ...found[agreement as Agreement].map(recordOf)];
    if (isDeepStrictEqual(records, before)) return false;
    answer.response_metadata = { ...answer.response_metadata, [key]: records };
    return true;
  });
  return written.includes(true);
}

/** The agreement recorded for a call; `undefined` if the call has changed since, or if its id is not unique in its message. */
export function agreementOn(messages: readonly BaseMessage[], call: ToolCall): Agreement | undefined {
  const { id = "" } = call;
  const isOfId = (known: ToolCall) => known.id === id;
  const answer = messages.filter(AIMessage.isInstance).findLast(({ tool_calls }) => tool_calls?.some(isOfId));
  if (id === "" || answer?.tool_calls?.filter(isOfId).length !== 1) return undefined;
  const record = recordOf(call);
  const isFound = (agreement: Agreement) =>
    recordsIn(answer, KEYS[agreement]).some((known) => isDeepStrictEqual(known, record));
  if (isFound("approved")) return "approved";
  return isFound("free") ? "free" : undefined;
}

/** The call by value, since another middleware may change the message or the call; as JSON, since a checkpoint restores it so. */
function recordOf({ id, name, args }: ToolCall): unknown {
  return JSON.parse(JSON.stringify({ id, name, args }));
}

function recordsIn({ response_metadata }: BaseMessage, key: string): readonly unknown[] {
  const records: unknown = response_metadata[key];
  return Array.isArray(records) ? records : [];
}

function idOf(record: unknown): unknown {
  return typeof record === "object" && record !== null && "id" in record ? record.id : undefined;
}
