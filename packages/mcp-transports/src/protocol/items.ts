import { setImmediate } from "node:timers/promises";
import { isRecord, type JsonObject, type Logger } from "@jackfield/mcp-core";
import { isText, LIST_MEMBERS } from "./results.ts";

/** A request for a page of a list. */
export type ListMethod = keyof typeof LIST_MEMBERS;

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
  readonly #server: string;
  readonly #log: Logger;
  readonly #logged = new Set<string>();

  constructor({ server, log }: { readonly server: string; readonly log: Logger }) {
    this.#server = server;
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
    if (tasks.length > 0) this.#report(method, tasks.map(nameOf), TASK_ONLY);
    const given = tasks.length > 0 ? listed.filter((item) => !tasks.includes(item)) : listed;
    const rest = given === listed ? page : { ...page, [member]: given };
    return given.every(IS_USUAL[method]) ? rest : this.#repair(method, rest, given, isFirst);
  }

  async #repair(
    method: ListMethod,
    page: JsonObject,
    given: readonly unknown[],
    isFirst: boolean,
  ): Promise<JsonObject> {
    const isUsual = IS_USUAL[method];
    const items = given.map((item) => (isUsual(item) || !isRecord(item) ? item : repaired(item, method)));
    const good: unknown[] = [];
    const faulty: string[] = [];
    for (const [index, item] of items.entries()) {
      const issues = isUsual(item) ? undefined : await issuesOf(item, method);
      if (issues) faulty.push(describe(item, index, issues));
      else good.push(item);
    }
    const hasMore = page.nextCursor !== undefined && page.nextCursor !== null;
    if (isFirst && !hasMore && good.length === 0 && faulty.length > 0)
      throw new SyntaxError(`no item of its list is valid: ${faulty[0]}`);
    this.#report(method, faulty, INVALID);
    return { ...page, [LIST_MEMBERS[method]]: good };
  }

  #report(method: ListMethod, left: readonly string[], message: string): void {
    const unlogged = left.filter((item) => !this.#logged.has(`${method} ${item}`));
    if (unlogged.length === 0 || this.#logged.size > MOST_LOGGED) return;
    for (const item of unlogged) this.#logged.add(`${method} ${item}`);
    this.#log("warn", message, {
      server: this.#server,
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
  const tool = isRecord(whole.inputSchema)
    ? { ...whole, inputSchema: repairedSchema(whole.inputSchema) }
    : whole;
  // `execution` means nothing since 2026-07-28, and before that names only alternative ways to call a tool.
  const { execution: _, ...rest } = tool as JsonObject;
  return !isUsualTool(tool) && isUsualTool(rest) ? rest : tool;
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
const IS_USUAL: { readonly [M in ListMethod]: (item: unknown) => boolean } = {
  "tools/list": isUsualTool,
  "resources/list": isUsualResource,
  "resources/templates/list": isUsualTemplate,
  "prompts/list": isUsualPrompt,
};

function isUsualTool(tool: unknown): boolean {
  if (!isRecord(tool) || !isDescribed(tool)) return false;
  const { execution, outputSchema = {}, annotations = {} } = tool;
  return (
    isObjectSchema(tool.inputSchema) &&
    isRecord(outputSchema) &&
    isMissingOr(isText, outputSchema.$schema) &&
    isRecord(annotations) &&
    isMissingOr(isText, annotations.title) &&
    HINTS.every((hint) => isMissingOr(isFlag, annotations[hint])) &&
    (execution === undefined || (isRecord(execution) && TASK_SUPPORT.includes(execution.taskSupport)))
  );
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
const TASK_SUPPORT: readonly unknown[] = [undefined, "forbidden", "optional", "required"];

function isUsualResource(resource: unknown): boolean {
  if (!isRecord(resource) || !isDescribed(resource)) return false;
  const { uri, mimeType, size, annotations } = resource;
  return (
    isText(uri) &&
    isMissingOr(isText, mimeType) &&
    (size === undefined || Number.isFinite(size)) &&
    isMissingOr(areAnnotations, annotations)
  );
}

function isUsualTemplate(template: unknown): boolean {
  if (!isRecord(template) || !isDescribed(template)) return false;
  const { uriTemplate, mimeType, annotations } = template;
  return isText(uriTemplate) && isMissingOr(isText, mimeType) && isMissingOr(areAnnotations, annotations);
}

function isUsualPrompt(prompt: unknown): boolean {
  if (!isRecord(prompt) || !isDescribed(prompt)) return false;
  return prompt.arguments === undefined || isListOf(isPromptArgument, prompt.arguments);
}

function isPromptArgument(argument: unknown): boolean {
  if (!isRecord(argument)) return false;
  const { name, description, required } = argument;
  return isText(name) && isMissingOr(isText, description) && isMissingOr(isFlag, required);
}

/** What every item has, or may have. */
function isDescribed({
  name,
  title,
  description,
  icons,
  _meta,
}: {
  readonly [member: string]: unknown;
}): boolean {
  return (
    isText(name) &&
    isMissingOr(isText, title) &&
    isMissingOr(isText, description) &&
    (icons === undefined || isListOf(isIcon, icons)) &&
    isMissingOr(isRecord, _meta)
  );
}

function isObjectSchema(schema: unknown): boolean {
  if (!isRecord(schema) || schema.type !== "object") return false;
  const { $schema, properties, required } = schema;
  return (
    isMissingOr(isText, $schema) &&
    isMissingOr(isRecord, properties) &&
    (required === undefined || isListOf(isText, required))
  );
}

/** MCP, "Icons". */
function isIcon(icon: unknown): boolean {
  if (!isRecord(icon)) return false;
  const { src, mimeType, sizes, theme } = icon;
  return (
    isText(src) &&
    isMissingOr(isText, mimeType) &&
    (sizes === undefined || isListOf(isText, sizes)) &&
    (theme === undefined || theme === "light" || theme === "dark")
  );
}

/** Audience and priority (MCP, "Annotations"). A date is left to the SDK. */
function areAnnotations(annotations: unknown): boolean {
  if (!isRecord(annotations) || annotations.lastModified !== undefined) return false;
  const { audience, priority = 0 } = annotations;
  return (
    (audience === undefined || isListOf((role) => role === "user" || role === "assistant", audience)) &&
    typeof priority === "number" &&
    priority >= 0 &&
    priority <= 1
  );
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isMissingOr(is: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || is(value);
}

function isListOf(is: (item: unknown) => boolean, items: unknown): boolean {
  return Array.isArray(items) && items.every((item) => is(item));
}

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
