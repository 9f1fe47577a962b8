import { setImmediate } from "node:timers/promises";
import { createTimeSlices, isRecord, type JsonObject, type Logger } from "@jackfield/mcp-core";
import { isText, LIST_MEMBERS, type ListMethod } from "./results.ts";

/** The SDK's names of the items' schemas, which explain what is wrong with an item that is refused here. */
const SCHEMAS = {
  "tools/list": "Tool",
  "resources/list": "Resource",
  "resources/templates/list": "ResourceTemplate",
  "prompts/list": "Prompt",
} as const satisfies { [M in ListMethod]: keyof Sdk["specTypeSchemas"] };

/** Optional members, which some serialisers write as `null` when they are missing. */
const OPTIONAL: ReadonlySet<string> = new Set(
  "_meta annotations arguments description execution icons mimeType nextCursor outputSchema size title".split(
    " ",
  ),
);
const OPTIONAL_IN_SCHEMA: ReadonlySet<string> = new Set(["properties", "required"]);

/** The most items of a page that are judged in the turn in which it was read. */
const MOST_AT_ONCE = 200;

/** The most items named in one entry of the log, because a server can list any number. */
const MOST_NAMED = 5;
const NAMED_LENGTH = 200;
/** The most items remembered as logged. Beyond that, no more are logged. */
const MOST_LOGGED = 1_000;

const INVALID =
  "Items of a list are left out: they are not valid MCP. Report this to the server's developers.";
const TASK_ONLY =
  'Tools are left out: they can be called only as tasks ("taskSupport" is "required"), which is not supported yet.';

/** Makes the items of one session's lists valid, and logs once what it leaves out. */
export class ItemReader {
  readonly #log: Logger;
  readonly #logged = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * A page whose items are all valid MCP. What servers often leave out, and what can have only one meaning, is completed. An item that
   * is still invalid is left out and logged, so that it does not cost the others; so is a tool that can be called only as a task, which
   * this client cannot do. Valid items stay as they are.
   *
   * @param page - an answer whose list is a list
   * @throws SyntaxError if the list has one page without a single valid item, so that the server is reported as a whole
   */
  read(method: ListMethod, page: JsonObject, isFirst: boolean): JsonObject | Promise<JsonObject> {
    const member = LIST_MEMBERS[method];
    const listed = page[member] as readonly unknown[];
    const tasks = method === "tools/list" ? listed.filter(isTaskOnly) : [];
    if (tasks.length > 0) this.#report(method, tasks.map(nameOf), TASK_ONLY, "info");
    const given = tasks.length > 0 ? listed.filter((item) => !isTaskOnly(item)) : listed;
    const rest = given === listed ? page : { ...page, [member]: given };
    const isUsual = given.length <= MOST_AT_ONCE && given.every(IS_USUAL[method]);
    return isUsual ? rest : this.#judge(method, rest, given, isFirst);
  }

  async #judge(
    method: ListMethod,
    page: JsonObject,
    given: readonly unknown[],
    isFirst: boolean,
  ): Promise<JsonObject> {
    const isUsual = IS_USUAL[method];
    const good: unknown[] = [];
    const faulty: string[] = [];
    const slices = createTimeSlices(); // A hostile server lists thousands of invalid items.
    if (given.length > MOST_AT_ONCE) await slices.next(); // Its answer has just been read.
    for (const [index, listed] of given.entries()) {
      const item = isUsual(listed) || !isRecord(listed) ? listed : repaired(listed, method);
      const issues = isUsual(item) ? undefined : await issuesOf(item, method);
      if (slices.isOver()) await slices.next();
      if (issues) faulty.push(describe(item, index, issues));
      else good.push(item);
    }
    const hasMore = page.nextCursor !== undefined && page.nextCursor !== null;
    if (isFirst && !hasMore && good.length === 0 && faulty.length > 0)
      throw new SyntaxError(`no item of its list is valid: ${faulty[0]}`);
    this.#report(method, faulty, INVALID);
    return { ...page, [LIST_MEMBERS[method]]: good };
  }

  #report(
    method: ListMethod,
    left: readonly string[],
    message: string,
    level: "info" | "warn" = "warn",
  ): void {
    const unlogged = left.filter((item) => !this.#logged.has(`${method} ${item}`));
    if (unlogged.length === 0 || this.#logged.size > MOST_LOGGED) return;
    for (const item of unlogged) this.#logged.add(`${method} ${item}`);
    this.#log(level, message, {
      method,
      count: unlogged.length,
      items: unlogged.slice(0, MOST_NAMED).join(", "),
    });
  }
}

type Issues = readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[];

/** The SDK is loaded for this alone: to judge, and to explain, an item that is not usual. */
async function issuesOf(item: unknown, method: ListMethod): Promise<Issues | undefined> {
  const { specTypeSchemas } = await loadSdk();
  return (await specTypeSchemas[SCHEMAS[method]]["~standard"].validate(item)).issues;
}

/** Escaped, because a server wrote the name. */
function describe(item: unknown, index: number, [issue]: Issues): string {
  const name = isRecord(item) && isText(item.name) ? item.name : `number ${index + 1}`;
  const where = (issue?.path ?? []).map((part) => `${String(part)}: `).join("");
  return [name, where + issue?.message]
    .map((text) => JSON.stringify(text.slice(0, NAMED_LENGTH)))
    .join(" because of ");
}

/** MCP 2025-11-25, "Tool-Level Negotiation" of tasks: a call without a task is refused. */
function isTaskOnly(item: unknown): boolean {
  return isRecord(item) && isRecord(item.execution) && item.execution.taskSupport === "required";
}

function nameOf(item: unknown): string {
  const name = isRecord(item) && isText(item.name) ? item.name : "without a name";
  return JSON.stringify(name.slice(0, NAMED_LENGTH));
}

function repaired(item: JsonObject, method: ListMethod): JsonObject {
  const whole = withoutNulls(item, OPTIONAL);
  if (method !== "tools/list") return whole;
  const { inputSchema } = whole;
  const tool: JsonObject = isRecord(inputSchema)
    ? { ...whole, inputSchema: repairedSchema(inputSchema) }
    : whole;
  // `execution` means nothing since 2026-07-28, and before that names only alternative ways to call a tool.
  const { execution: _, ...rest } = tool;
  return !IS_USUAL[method](tool) && IS_USUAL[method](rest) ? rest : tool;
}

/** Arguments are always an object, even if the root of their schema does not say so. A root of another type stays invalid. */
function repairedSchema(schema: JsonObject): JsonObject {
  const { $schema, ...rest } = withoutNulls(schema, OPTIONAL_IN_SCHEMA);
  const { type = null } = rest;
  const mayBeObject = type === null || (Array.isArray(type) && type.includes("object"));
  return {
    ...(isText($schema) && { $schema }),
    ...rest,
    ...(mayBeObject && { type: "object" }),
  };
}

function withoutNulls(value: JsonObject, optional: ReadonlySet<string>): JsonObject {
  const isMissing = (name: string) => optional.has(name) && value[name] === null;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isMissing(name)));
}

// An item is usual if the SDK's schema accepts it. The schemas copy a list and check each value of each parameter: with ten thousand
// tools, that takes more time and memory than the tools themselves.

type Check = (value: unknown) => boolean;

const isAbsent: Check = (value) => value === undefined;
const oneOf =
  (...known: readonly unknown[]): Check =>
  (value) =>
    known.includes(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every((item) => check(item));

/** Checks these members of an object. It may have others. */
function shaped(shape: { readonly [member: string]: Check }): Check {
  const members = Object.entries(shape);
  return (value) => isRecord(value) && members.every(([name, check]) => check(value[name]));
}

const isFlag = optional((value) => typeof value === "boolean");
const mayBeText = optional(isText);
const isShare: Check = (value) => typeof value === "number" && value >= 0 && value <= 1;

/** What every item has, or may have. */
const DESCRIBED = {
  name: isText,
  title: mayBeText,
  description: mayBeText,
  icons: optional(
    listOf(
      shaped({
        src: isText,
        mimeType: mayBeText,
        sizes: optional(listOf(isText)),
        theme: oneOf(undefined, "light", "dark"),
      }),
    ),
  ),
  _meta: optional(isRecord),
};

/** Of what holds content. A date is left to the SDK. */
const ANNOTATED = {
  mimeType: mayBeText,
  annotations: optional(
    shaped({
      audience: optional(listOf(oneOf("user", "assistant"))),
      priority: optional(isShare),
      lastModified: isAbsent,
    }),
  ),
};

const IS_USUAL: { readonly [M in ListMethod]: Check } = {
  "tools/list": shaped({
    ...DESCRIBED,
    inputSchema: shaped({
      type: oneOf("object"),
      $schema: mayBeText,
      properties: optional(isRecord),
      required: optional(listOf(isText)),
    }),
    outputSchema: optional(shaped({ $schema: mayBeText })),
    annotations: optional(
      shaped({
        title: mayBeText,
        readOnlyHint: isFlag,
        destructiveHint: isFlag,
        idempotentHint: isFlag,
        openWorldHint: isFlag,
      }),
    ),
    execution: optional(shaped({ taskSupport: oneOf(undefined, "forbidden", "optional", "required") })),
  }),
  "resources/list": shaped({ ...DESCRIBED, ...ANNOTATED, uri: isText, size: optional(Number.isFinite) }),
  "resources/templates/list": shaped({ ...DESCRIBED, ...ANNOTATED, uriTemplate: isText }),
  "prompts/list": shaped({
    ...DESCRIBED,
    arguments: optional(listOf(shaped({ name: isText, description: mayBeText, required: isFlag }))),
  }),
};

/** The SDK as a module object: it is imported when something needs it, not when this package is. */
type Sdk = typeof import("@modelcontextprotocol/client");

let loaded: Sdk | undefined;

/**
 * Loads the SDK. Only the first call costs anything: it blocks the event loop for about 110 ms. Work that is under way goes
 * first, such as a start-up that has its tools from the catalog and only has to report them.
 */
export async function loadSdk(): Promise<Sdk> {
  if (loaded) return loaded;
  await setImmediate();
  loaded = await import("@modelcontextprotocol/client");
  return loaded;
}
