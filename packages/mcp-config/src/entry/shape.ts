import { isRecord } from "@jackfield/mcp-core";
import type { JsonMap, JsonPath } from "../read/json-value.ts";
import type { EntryContext } from "./entry.ts";
import { type EntryDialect, type FieldNames, placeInEntry, type TimeField } from "./entry-dialect.ts";

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}

/** What a field holds. Times are milliseconds in a definition; a host's table says in which unit its file has them. */
export type FieldKind =
  | ("text" | "texts" | "variables" | "headers" | "flag" | "amount" | "time" | "era")
  /** Says whether the server is on. */
  | "switch"
  /** A list of tools. */
  | "filter";

/** What is known of a field, whatever its host. */
export interface FieldRule {
  readonly kind: FieldKind;
  /** The servers that have it. Default: all. */
  readonly of?: "process" | "remote";
  /** Whether a value of the wrong type refuses the entry in any file. Others are left out where the file is another host's. */
  readonly isVital?: boolean;
  /**
   * Its names in the files of all hosts, and others that people write for it. A host reads those that its own table lists; the rest are
   * for hints. Switches and lists of tools are obeyed under every name, since somebody meant them.
   */
  readonly spellings: readonly string[];
}

/** Every field of an entry, in the order in which faults are found. */
export const FIELDS = {
  enabled: { kind: "switch", spellings: words("enabled isActive isEnabled active start_on_launch") },
  disabled: { kind: "switch", spellings: words("disabled isDisabled") },
  include: {
    kind: "filter",
    spellings: words(
      "includeTools include_tools allowedTools allowed_tools enabledTools enabled_tools availableTools available_tools allowTools",
      "allow_tools tools toolFilter tool_filter",
    ),
  },
  exclude: {
    kind: "filter",
    spellings: words(
      "excludeTools exclude_tools excludedTools excluded_tools blockedTools blocked_tools disabledTools disabled_tools",
      "disallowedTools disallowed_tools deniedTools denied_tools denyTools deny_tools hiddenTools hidden_tools",
    ),
  },
  lazy: { kind: "flag", spellings: ["lazy"] },
  shared: { kind: "flag", spellings: ["shared"] },
  timeoutMs: {
    kind: "time",
    spellings: words("callTimeoutMs timeout timeoutMs requestTimeout request_timeout_ms tool_timeout_sec"),
  },
  connectTimeoutMs: {
    kind: "time",
    spellings: words(
      "connectTimeoutMs connectTimeout connectionTimeout startup_timeout_sec startup_timeout_ms",
    ),
  },
  maxTotalMs: { kind: "time", spellings: ["maxTotalMs"] },
  maxMessageBytes: { kind: "amount", spellings: ["maxMessageBytes"] },
  maxTools: { kind: "amount", spellings: ["maxTools"] },
  maxConcurrentCalls: { kind: "amount", spellings: ["maxConcurrentCalls"] },
  trustAnnotations: { kind: "flag", spellings: ["trustAnnotations"] },
  checkArguments: { kind: "flag", spellings: ["checkArguments"] },
  era: { kind: "era", spellings: words("era protocolEra") },
  title: { kind: "text", spellings: words("title display_name displayName") },
  description: { kind: "text", spellings: ["description"] },
  required: { kind: "flag", spellings: ["required"] },
  trust: { kind: "flag", spellings: ["trust"] },
  autoApprove: { kind: "texts", spellings: words("autoApprove alwaysAllow") },
  env: {
    kind: "variables",
    isVital: true,
    spellings: words("env envs environment envVars environmentVariables"),
  },
  envFile: { kind: "text", spellings: words("envFile dotenv") },
  command: { kind: "text", of: "process", isVital: true, spellings: words("command cmd executable") },
  args: { kind: "texts", of: "process", isVital: true, spellings: words("args arg arguments") },
  envPassthrough: { kind: "texts", of: "process", spellings: words("env_vars env_keys") },
  cwd: { kind: "text", of: "process", spellings: words("cwd working_directory workdir workingDir") },
  url: {
    kind: "text",
    of: "remote",
    isVital: true,
    spellings: words("url urls uri serverUrl httpUrl baseUrl endpoint"),
  },
  headers: {
    kind: "headers",
    of: "remote",
    isVital: true,
    spellings: words("headers header http_headers requestHeaders"),
  },
  headersFromEnv: { kind: "headers", of: "remote", spellings: ["env_http_headers"] },
  bearerTokenEnv: {
    kind: "text",
    of: "remote",
    spellings: words("bearerTokenEnv bearer_token_env bearer_token_env_var"),
  },
} as const satisfies { readonly [field: string]: FieldRule };

/** A field by the name that it has in `WrittenServer`; `include` and `exclude` are members of `tools`. */
export type FieldName = keyof typeof FIELDS;

/** A name under which a host's entries have a field. */
export interface Spelling extends FieldRule {
  readonly field: FieldName;
  readonly name: string;
  /** Its place among the names of the field; the first one that is written counts. */
  readonly rank: number;
  /** How many milliseconds its number counts, if it holds a time. */
  readonly unitMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
  /** Whether the host itself does not know it. */
  readonly isForeign: boolean;
}

/** Computed once a host. */
const SHAPES = new WeakMap<EntryDialect, ReturnType<typeof computeShape>>();

/**
 * How a host's entries are read: `spellings` by the name that a field has there, `known` with every name that the host knows, and `meant`
 * with the name of a field that another name means, both without case and joints.
 */
export function shapeOf(dialect: EntryDialect) {
  let shape = SHAPES.get(dialect);
  if (shape === undefined) {
    shape = computeShape(dialect);
    SHAPES.set(dialect, shape);
  }
  return shape;
}

function computeShape(dialect: EntryDialect) {
  const { fields, transport, oauth, switches: rule = [], outdated = {}, toolsObject } = dialect;
  const switches: readonly string[] = rule === "none" ? [] : rule;
  const spellings = new Map<string, Spelling>();
  const known = new Set<string>();
  const allNames = Object.keys(FIELDS) as FieldName[];
  for (const field of allNames) {
    const names = timesOf(fields[field]);
    for (const [rank, time] of names.entries()) {
      known.add(time.field);
      spellings.set(time.field, spellingOf(field, time, rank, false));
    }
  }
  const others = [
    ...[dialect.extraFields, dialect.commandFields, Object.keys(outdated), Object.keys(oauth?.fields ?? {})],
    ...[transport.field, oauth?.object, toolsObject],
    ...(dialect.inner ?? []).map(({ field }) => field),
  ].flat();
  for (const field of others) if (field !== undefined) known.add(field);
  if (toolsObject !== undefined)
    spellings.set(toolsObject, spellingOf("include", { field: toolsObject }, -1, false));
  for (const field of rule === "none" ? [] : allNames) {
    const { kind, spellings: names } = FIELDS[field];
    if (kind !== "switch" && kind !== "filter") continue;
    for (const [rank, name] of names.entries()) {
      if (known.has(name)) continue;
      const isForeign = !switches.includes(name);
      spellings.set(name, spellingOf(field, { field: name }, 100 + rank, isForeign));
      if (kind === "switch") known.add(name);
    }
  }
  return { spellings, known, meant: meantNames(dialect, known) } as const;
}

function spellingOf(field: FieldName, time: TimeField, rank: number, isForeign: boolean): Spelling {
  const { field: name, unit, leastMs = 0, mostMs = Number.POSITIVE_INFINITY } = time;
  return {
    ...FIELDS[field],
    field,
    name,
    rank,
    unitMs: unit === "seconds" ? 1000 : 1,
    leastMs,
    mostMs,
    isForeign,
  };
}

function timesOf(names: FieldNames | readonly (string | TimeField)[] | undefined): readonly TimeField[] {
  return [names ?? []].flat().map((name) => (typeof name === "string" ? { field: name } : name));
}

/** Whether a value of a known field stands for none: `null`, an empty or blank text, an empty object. */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || (typeof value === "string" && value.trim() === ""))
    return true;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** A name without case and joints, for comparison. A leading `_` stays: it marks a field that somebody set aside. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/(?<=[^_-])[_-]+/g, "");
}

function meantNames(
  { fields, transport, outdated = {}, switches }: EntryDialect,
  known: ReadonlySet<string>,
) {
  const meant = new Map<string, string>();
  const add = (name: string, field: string) => {
    const plain = plainName(name);
    if (!meant.has(plain)) meant.set(plain, field);
  };
  for (const field of known) add(field, field);
  // Formats for a single server are no neighbours of the others.
  if (switches === "none") return meant;
  for (const field of Object.keys(FIELDS) as FieldName[]) {
    const [current] = timesOf(fields[field]).filter(({ field: name }) => !Object.hasOwn(outdated, name));
    if (current === undefined) continue;
    for (const name of [field, ...FIELDS[field].spellings]) add(name, current.field);
  }
  for (const name of ["enable", "disable"]) if (known.has(`${name}d`)) add(name, `${name}d`);
  for (const name of ["type", "transport", "transportType"])
    if (transport.field !== undefined) add(name, transport.field);
  return meant;
}

/**
 * Maps paths of Jackfield's own field names to those in the entry, by the host's names for each field. A missing field gets the first of
 * its names.
 */
export function writtenPaths(
  entry: JsonMap,
  { dialect, platform }: Pick<EntryContext, "dialect" | "platform">,
): (path: JsonPath) => JsonPath {
  return ([field, ...inner]) => {
    if (field === undefined) return [];
    if (field === "oauth") return oauthPath(entry, inner, dialect);
    const names = timesOf(dialect.fields[field as FieldName]).map(({ field: name }) => name);
    const name = names.find((written) => Object.hasOwn(entry, written)) ?? names[0] ?? field;
    const shaped = [name, ...inner];
    return placeInEntry(shaped, entry, dialect, platform);
  };
}

/** The path of an OAuth setting, which is a field of the entry itself or a member of an object. */
function oauthPath(entry: JsonMap, [setting, ...inner]: JsonPath, { oauth = {} }: EntryDialect): JsonPath {
  const { object = "oauth", members = {}, fields = {} } = oauth;
  const holdsSetting = (names: { readonly [written: string]: string }, holder: unknown) => (name: string) =>
    names[name] === setting && isRecord(holder) && Object.hasOwn(holder, name);
  const own = Object.keys(fields).find(holdsSetting(fields, entry));
  if (own !== undefined) return [own, ...inner];
  if (setting === undefined) return [object];
  return [object, Object.keys(members).find(holdsSetting(members, entry[object])) ?? setting, ...inner];
}
