import { isRecord, type JsonObject, type Logger } from "@jackfield/mcp-core";
import type { Sdk } from "../sdk.ts";
import type { Subject } from "./exchange.ts";
import { PLAIN_ITEM_CHECKS } from "./plain-lists.ts";

/** Repairs an answer that is not quite a valid list. Answers to other requests are returned unchanged. */
export type ListRepairer = (subject: Subject, answer: JsonObject) => Promise<JsonObject>;

export interface ListRepairerOptions {
  /** Where left-out items are logged. */
  readonly serverLog: { readonly server: string; readonly log: Logger };
  getSdk(): Promise<Sdk>;
}

export function createListRepairer(options: ListRepairerOptions): ListRepairer {
  const logged = new Set<string>();
  return async ({ method, cursor }, answer) => {
    const isPlainItem = PLAIN_ITEM_CHECKS[method];
    if (!isPlainItem || !isRecord(answer)) return answer;
    const { repairList } = await import("./repaired-lists.ts");
    return repairList(answer, { ...options, method, cursor, isPlainItem, logged });
  };
}
