import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import type { Sdk } from "../sdk.ts";
import type { ListRepairerOptions } from "./list-repairer.ts";

// Loaded when the first list needs it. It imports no values, so that no other code has to move to a file of its own.

/** For each list, the member that holds its items and the SDK's name of their schema. */
const LISTS: { readonly [method: string]: readonly [member: string, schema: keyof Sdk["specTypeSchemas"]] } =
  {
    "tools/list": ["tools", "Tool"],
    "resources/list": ["resources", "Resource"],
    "resources/templates/list": ["resourceTemplates", "ResourceTemplate"],
    "prompts/list": ["prompts", "Prompt"],
  };

/** Optional members, which some serialisers write as `null` when they are missing. */
const OPTIONAL: ReadonlySet<string> = new Set(
  "_meta annotations arguments description execution icons mimeType nextCursor outputSchema size title".split(
    " ",
  ),
);
const OPTIONAL_IN_SCHEMA: ReadonlySet<string> = new Set(["properties", "required"]);

/** The most items named in one entry of the log, because a server can list any number. */
const MOST_NAMED = 5;
const NAMED_LENGTH = 200;
/** The most items remembered as logged. Beyond that, no more are logged. */
const MOST_LOGGED = 1_000;

/** How to repair a list, and which page it is. */
export interface ListToRepair extends ListRepairerOptions {
  readonly method: string;
  /** Missing for the first page. */
  readonly cursor: string | undefined;
  /** Whether an item has the common form. */
  isPlainItem(item: unknown): boolean;
  /** What was logged, so that it is logged once and not each time the list is fetched. */
  readonly logged: Set<string>;
}

/**
 * Makes all items of a list valid MCP. What servers often leave out, and what can have only one meaning, is completed. An item that is
 * still invalid is left out and logged, so that it does not cost the others. Valid items stay as they are.
 *
 * A list of one page keeps its invalid items if it has no valid one, so that the server is reported as a whole.
 */
export async function repairList(list: JsonObject, context: ListToRepair): Promise<JsonObject> {
  const { method, cursor, isPlainItem } = context;
  const [member, schema] = LISTS[method] ?? [];
  const given = list[member as string];
  if (!member || !schema || !Array.isArray(given)) return list;
  const items = given.map((item) =>
    isPlainItem(item) || !isRecord(item) ? item : repairItem(item, context),
  );
  const repaired: JsonObject = { ...withoutNulls(list, OPTIONAL), [member]: items };
  if (items.every(isPlainItem)) return repaired;
  const { specTypeSchemas } = await context.getSdk();
  const good: unknown[] = [];
  const faulty: string[] = [];
  for (const [index, item] of items.entries()) {
    const { issues } = isPlainItem(item) ? {} : await specTypeSchemas[schema]["~standard"].validate(item);
    if (issues) faulty.push(describe(item, index, issues));
    else good.push(item);
  }
  const isWhole = cursor === undefined && repaired.nextCursor === undefined;
  if (isWhole && good.length === 0) return repaired;
  logFaulty(faulty, context);
  return { ...repaired, [member]: good };
}

function repairItem(item: JsonObject, { method, isPlainItem }: ListToRepair): JsonObject {
  const whole = withoutNulls(item, OPTIONAL);
  if (method !== "tools/list") return whole;
  const tool = isRecord(whole.inputSchema)
    ? { ...whole, inputSchema: repairSchema(whole.inputSchema) }
    : whole;
  // `execution` means nothing since 2026-07-28, and before that names only alternative ways to call a tool.
  const { execution: _, ...rest } = tool as JsonObject;
  return !isPlainItem(tool) && isPlainItem(rest) ? rest : tool;
}

/** Arguments are always an object, even if the root of their schema does not say so. A root of another type stays invalid. */
function repairSchema(schema: JsonObject): JsonObject {
  const { $schema, ...rest } = withoutNulls(schema, OPTIONAL_IN_SCHEMA);
  const { type = null } = rest;
  const mayBeObject = type === null || (Array.isArray(type) && type.includes("object"));
  return {
    // The SDK requires a string here in only one of the eras.
    ...(typeof $schema === "string" && { $schema }),
    ...rest,
    ...(mayBeObject && { type: "object" }),
  };
}

function withoutNulls(value: JsonObject, optional: ReadonlySet<string>): JsonObject {
  const isMissing = (name: string) => optional.has(name) && value[name] === null;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isMissing(name)));
}

type Issues = readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[];

/** Escaped, because a server wrote the name. */
function describe(item: unknown, index: number, [issue]: Issues): string {
  const name = isRecord(item) && typeof item.name === "string" ? item.name : `number ${index + 1}`;
  const where = (issue?.path ?? []).map((part) => `${String(part)}: `).join("");
  return [name, where + issue?.message]
    .map((text) => JSON.stringify(text.slice(0, NAMED_LENGTH)))
    .join(" because of ");
}

function logFaulty(
  faulty: readonly string[],
  { method, serverLog: { server, log }, logged }: ListToRepair,
): void {
  const unlogged = faulty.filter((item) => !logged.has(`${method} ${item}`));
  if (unlogged.length === 0 || logged.size > MOST_LOGGED) return;
  for (const item of unlogged) logged.add(`${method} ${item}`);
  const fields = { server, method, count: unlogged.length, items: unlogged.slice(0, MOST_NAMED).join(", ") };
  log(
    "warn",
    "Items of a list are left out: they are not valid MCP. Report this to the server's developers.",
    fields,
  );
}
