import type { JsonObject, Logger } from "@jackfield/mcp-core";
import { isRecord } from "../plain-values.ts";
import type { Sdk } from "../sdk.ts";
import type { Subject } from "./exchange.ts";
import { PLAIN_ITEMS } from "./plain-lists.ts";

/** Repairs an answer that is not quite a valid list. Answers to other requests are returned unchanged. */
export type ListMender = (subject: Subject, answer: JsonObject) => Promise<JsonObject>;

export interface ListMenderOptions {
  /** Where left-out items are logged. */
  readonly place: { readonly server: string; readonly log: Logger };
  getSdk(): Promise<Sdk>;
}

export function createListMender(options: ListMenderOptions): ListMender {
  const told = new Set<string>();
  return async ({ method, cursor }, answer) => {
    const isPlain = PLAIN_ITEMS[method];
    if (!isPlain || !isRecord(answer)) return answer;
    const { mendList } = await import("./mended-lists.ts");
    return mendList(answer, { ...options, method, cursor, isPlain, told });
  };
}
