import { type DefinedIn, isCredential, isRecord, namedArguments } from "@jackfield/mcp-core";
import { createMap, type JsonMap, ownMember } from "../documents/json-value.ts";
import { isNormalUrl } from "../http-syntax.ts";
import { loaderOfProject } from "../loader-variables.ts";
import { dialectFor, hasVariables, type VariableDialect } from "../variables.ts";
import { defineServer, type FaultIn } from "./defined-entry.ts";
import type { EntryContext } from "./entry-context.ts";
import type { EntryDialect } from "./entry-dialect.ts";
import type { ServerEntry } from "./server-entry.ts";
import type { WrittenServer } from "./written-server.ts";

/** An entry that was read, and whether it may hold variables in another host's spelling. */
export interface PlainEntry extends ServerEntry {
  readonly written: WrittenServer;
  readonly mayHoldForeignVariables: boolean;
}

/**
 * Reads an entry that has nothing to remark on and nothing to refuse: a program with arguments and variables, or a URL with headers,
 * in texts that cannot be credentials, relative paths or references of an unusual form. Most entries are like this, and the code for
 * all the others takes ten times as long, because it runs for the first time. `undefined` for any other entry, which must then be
 * read in full: the result would be the same.
 */
export function readPlainEntry(
  entry: JsonMap,
  context: EntryContext,
  faultIn: FaultIn,
): PlainEntry | undefined {
  const { name, definedIn, dialect, platform, inCode } = context;
  if (definedIn.parts !== undefined || (inCode && !isPlainObject(entry))) return undefined;
  const rules = plainRules(dialect);
  const fields = plainFields(entry, rules, inCode);
  if (fields === undefined || (rules.hasOwnRules && isChangedByHost(entry, context))) return undefined;
  const { type, command, args, url } = fields;
  const transport = transportOf(type, command !== undefined, dialect);
  if (transport === undefined) return undefined;
  const variables = dialectFor(context.variables, { transport });
  const env = plainTexts(fields.env, ENVIRONMENT_NAME, variables);
  const headers = plainTexts(fields.headers, HEADER_NAME, variables);
  if (env === undefined || headers === undefined) return undefined;
  if (env.texts && loaderOfProject(definedIn, env.texts, platform) !== undefined) return undefined;
  const mayHoldForeignVariables = env.areForeign || headers.areForeign;
  if (transport === "stdio") {
    if (typeof command !== "string" || !isPlainCommand(command, definedIn)) return undefined;
    if (url !== undefined || fields.headers !== undefined || !arePlainArguments(args)) return undefined;
    const written = { transport, command, args, env: env.texts, enabled: true };
    const whole = dialect.addHostFields?.(written) ?? written;
    if (whole !== written)
      return { written, definition: defineServer(whole, context, faultIn), mayHoldForeignVariables };
    // The members of a full reading. A missing one would be read from `Object.prototype`, which somebody may have changed.
    const definition = {
      name,
      definedIn,
      transport,
      command,
      args,
      env: env.texts,
      envUnset: undefined,
      envPassthrough: undefined,
      cwd: undefined,
      lazy: undefined,
      shared: undefined,
      limits: undefined,
      tools: undefined,
      envFile: undefined,
    };
    return { written, definition, mayHoldForeignVariables };
  }
  if (args !== undefined || !isPlainUrl(url, dialect)) return undefined;
  const written = { transport, url, headers: headers.texts, env: env.texts, enabled: true };
  if (dialect.addHostFields && dialect.addHostFields(written) !== written) return undefined;
  const definition = {
    name,
    definedIn,
    transport,
    url,
    headers: headers.texts,
    env: env.texts,
    headersFromEnv: undefined,
    bearerTokenEnv: undefined,
    oauth: undefined,
    lazy: undefined,
    shared: undefined,
    limits: undefined,
    tools: undefined,
    envFile: undefined,
  };
  return { written, definition, mayHoldForeignVariables };
}

const WAYS = ["command", "args", "env", "url", "headers"] as const;

type PlainFields = { [field in (typeof WAYS)[number] | "type"]?: unknown };

/** What a host says about plain entries. */
interface PlainRules {
  /** Its current names of the fields that a plain entry may have. */
  readonly names: ReadonlyMap<string, keyof PlainFields>;
  /** Whether it has functions of its own that look at entries. */
  readonly hasOwnRules: boolean;
}

const PLAIN_RULES = new WeakMap<EntryDialect, PlainRules>();

function plainRules(dialect: EntryDialect): PlainRules {
  let rules = PLAIN_RULES.get(dialect);
  if (rules === undefined) {
    const { fields, outdated = {}, transport } = dialect;
    const names = new Map<string, keyof PlainFields>();
    for (const way of WAYS) {
      const written = fields[way] ?? [];
      for (const name of typeof written === "string" ? [written] : written)
        if (!Object.hasOwn(outdated, name)) names.set(name, way);
    }
    if (transport.field !== undefined) names.set(transport.field, "type");
    rules = { names, hasOwnRules: OWN_RULES.some((rule) => dialect[rule] !== undefined) };
    PLAIN_RULES.set(dialect, rules);
  }
  return rules;
}

const OWN_RULES = ["reshape", "findFault", "removedFields", "requires", "readExpansionData"] as const;

/** The values of an entry by Jackfield's names; `undefined` if it has any other field, or one of them twice. */
function plainFields(entry: JsonMap, { names }: PlainRules, inCode: boolean): PlainFields | undefined {
  const found: PlainFields = createMap();
  // An object of a program may have members that are not enumerable; the full reading reads them, too.
  for (const written of inCode ? Object.getOwnPropertyNames(entry) : Object.keys(entry)) {
    const field = names.get(written);
    if (field === undefined || found[field] !== undefined) return undefined;
    const value = entry[written];
    found[field] = inCode ? copyOf(value) : value;
  }
  return found;
}

/** A caller may change later what it has given. Nobody else holds the values of a parsed document. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...value];
  if (!isRecord(value) || !isPlainObject(value)) return value;
  const copy = createMap();
  for (const name of Object.keys(value)) copy[name] = value[name];
  return copy;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether one of the host's own functions has something to say about the entry, or makes another one of it. */
function isChangedByHost(entry: JsonMap, { name, dialect, platform, definedIn }: EntryContext): boolean {
  let isRemarkedOn = false;
  const remark = () => {
    isRemarkedOn = true;
  };
  const shaped = dialect.reshape?.(entry, remark, platform, definedIn) ?? entry;
  return (
    shaped !== entry ||
    isRemarkedOn ||
    dialect.findFault?.(entry, name) !== undefined ||
    dialect.removedFields?.(entry) !== undefined ||
    dialect.requires?.(entry) !== undefined ||
    dialect.readExpansionData?.(entry, definedIn) !== undefined
  );
}

function transportOf(
  type: unknown,
  isProcess: boolean,
  { transport: rule }: EntryDialect,
): WrittenServer["transport"] | undefined {
  if (type === undefined && isProcess) return "stdio";
  if (type === undefined) return rule.untypedUrl === "refused" ? undefined : rule.untypedUrl;
  const transport = typeof type === "string" ? ownMember(rule.types, type) : undefined;
  return (transport === "stdio") === isProcess ? transport : undefined;
}

/** A program by its name, which is looked up in `PATH`, or by its path from the root. */
const PLAIN_COMMAND = /^(?:[\w.+-]+|\/[\w.@+/-]+)$/;

/** A project's entry may only name certain paths. */
function isPlainCommand(command: string, { scope }: DefinedIn): boolean {
  return PLAIN_COMMAND.test(command) && !(scope === "project" && command.startsWith("/"));
}

/** No reference of any host, apart from bare names, and no credential parameter. */
const PLAIN_TEXT = /^[\w@.,+:/ -]*$/;

/** A reference that is the whole value, apart from the scheme of a header, with a name that cannot be a generated key. */
const PLAIN_REFERENCE = /^(?:Bearer )?\$\{(env:)?[A-Z_]+\}$/;

const ENVIRONMENT_NAME = /^[A-Za-z_]\w*$/;
const HEADER_NAME = /^[A-Za-z][\w-]*$/;

function isPlainText(text: string): boolean {
  // Together these may be a user in a URL.
  return PLAIN_TEXT.test(text) && !(text.includes("@") && text.includes("://"));
}

function arePlainArguments(args: unknown): args is readonly string[] | undefined {
  if (args === undefined) return true;
  if (!Array.isArray(args)) return false;
  for (const text of args as readonly unknown[]) if (typeof text !== "string") return false;
  return (
    isPlainText(args.join(" ")) && !namedArguments(args).some(({ name, value }) => isCredential(name, value))
  );
}

const PLAIN_URL = /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/;

function isPlainUrl(url: unknown, { urlSchemes }: EntryDialect): url is string {
  if (typeof url !== "string" || !(isNormalUrl(url) || (PLAIN_URL.test(url) && URL.canParse(url))))
    return false;
  return urlSchemes === undefined || urlSchemes.includes(url.slice(0, url.indexOf(":")));
}

interface PlainTexts {
  readonly texts: { readonly [name: string]: string } | undefined;
  /** Whether there are references that the host has no syntax for. */
  readonly areForeign: boolean;
}

const NO_TEXTS: PlainTexts = { texts: undefined, areForeign: false };

function plainTexts(found: unknown, name: RegExp, variables: VariableDialect): PlainTexts | undefined {
  if (found === undefined) return NO_TEXTS;
  if (!isRecord(found) || Object.getPrototypeOf(found) !== null) return undefined;
  let areForeign = false;
  for (const written in found) {
    const text = found[written];
    if (typeof text !== "string" || !name.test(written)) return undefined;
    const reference = PLAIN_REFERENCE.exec(text);
    if (reference)
      areForeign ||= !isKnownTo(variables, reference[1] === undefined ? "${NAME}" : "${env:NAME}");
    else if (!isPlainText(text) || isCredential(written, text)) return undefined;
  }
  return { texts: found as { readonly [name: string]: string }, areForeign };
}

/** Whether a dialect knows `${NAME}` and `${env:NAME}`, as far as that was asked. */
const KNOWN_SPELLINGS = new WeakMap<VariableDialect, Map<string, boolean>>();

function isKnownTo(variables: VariableDialect, spelling: "${NAME}" | "${env:NAME}"): boolean {
  let known = KNOWN_SPELLINGS.get(variables);
  if (known === undefined) {
    known = new Map();
    KNOWN_SPELLINGS.set(variables, known);
  }
  let isKnown = known.get(spelling);
  if (isKnown === undefined) {
    isKnown = hasVariables(spelling, variables, true);
    known.set(spelling, isKnown);
  }
  return isKnown;
}
