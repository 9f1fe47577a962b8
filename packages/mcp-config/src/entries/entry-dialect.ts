import type { DefinedIn } from "@jackfield/mcp-core";
import type { DiagnosticDetails } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import { shortestEntries } from "./entry-examples.ts";
import type { WrittenServer } from "./written-server.ts";

/** One field's name, or several that mean the same; the first one that is written counts. */
export type FieldNames = string | readonly string[];

/** A field that holds a time. */
export interface TimeField {
  readonly field: string;
  /** What the number counts. Default milliseconds. */
  readonly unit?: "seconds" | undefined;
  /** A time outside these bounds is ignored by the host, as it is here. */
  readonly leastMs?: number | undefined;
  readonly mostMs?: number | undefined;
}

type TextField = "command" | "envFile" | "cwd" | "url" | "bearerTokenEnv" | "title" | "description";
type ListField = "args" | "envPassthrough" | "autoApprove";
type MapField = "env" | "headers" | "headersFromEnv";
type FlagField = "required" | "trust" | "lazy" | "shared" | "trustAnnotations";

/** Under which names a host keeps what Jackfield knows. */
export type EntryFieldNames = {
  readonly [field in TextField | ListField | MapField | FlagField | "maxMessageBytes"]?: FieldNames;
} & {
  readonly [field in "timeoutMs" | "connectTimeoutMs" | "maxTotalMs"]?: readonly (string | TimeField)[];
} & {
  /** Switches. An unreadable one switches the server off. */
  readonly enabled?: FieldNames;
  readonly disabled?: FieldNames;
  /** Lists of tools. */
  readonly include?: FieldNames;
  readonly exclude?: FieldNames;
};

/** How an entry says its transport. */
export interface TransportRule {
  /** The field that says it; missing for hosts that only look at `command` and `url`. */
  readonly field?: string | undefined;
  /** What the field may say. */
  readonly types: { readonly [written: string]: WrittenServer["transport"] };
  /** What a URL means where the field says nothing. */
  readonly untypedUrl: "http" | "sse" | "refused";
}

/** Where an entry's settings for OAuth stand. */
export interface OAuthRule {
  /** The field with an object of them, or with `false` or `true`. */
  readonly object?: string | undefined;
  /** Members of that object by their name here, where it differs. */
  readonly members?: { readonly [written: string]: string } | undefined;
  /** Fields of the entry itself, by their name here. */
  readonly fields?: { readonly [written: string]: string } | undefined;
}

/** Tells of something that a function of a dialect has come across. */
export type RemarkOnEntry = (
  code:
    | ("legacy-shape" | "legacy-field" | "deprecated-field" | "invalid-field")
    | ("unknown-field" | "unused-field" | "self-approval" | "unsupported-address" | "literal-secret"),
  field: string,
  text: string,
  details?: DiagnosticDetails,
) => void;

/** What switches a server off in the entries of one host or another. */
export type SwitchField = "enabled" | "disabled";

const SWITCHES: readonly SwitchField[] = ["enabled", "disabled"];

/** How the entries of a host read. */
export interface EntryRules {
  readonly transport: TransportRule;
  readonly fields: EntryFieldNames;
  readonly oauth?: OAuthRule | undefined;
  /** Fields that the host knows and Jackfield does not read; they are kept in `extra` without a remark. */
  readonly kept?: readonly string[] | undefined;
  /**
   * Switches that the host knows; `none` for a format that describes a server and cannot switch it. Others are obeyed all the same
   * and told of, since somebody meant them. Default: the host knows none.
   */
  readonly switches?: readonly SwitchField[] | "none" | undefined;
  /** Old names of fields. */
  readonly outdated?: { readonly [field: string]: "legacy-field" | "deprecated-field" } | undefined;
  /** Fields that hold a command, which is never run. */
  readonly commands?: readonly string[] | undefined;
  /** Beginnings of URLs that the host can reach. Default `http` and `https`. */
  readonly urlSchemes?: readonly string[] | undefined;
  /** An object with `include` and `exclude`. */
  readonly toolsObject?: string | undefined;
  /** Whether an empty list of tools to include means all of them. */
  readonly emptyIncludesAll?: boolean | undefined;
  /** Brings an entry of an odd shape into the usual one before it is read. Must not change what it is given. */
  readonly reshape?:
    | ((entry: JsonMap, remark: RemarkOnEntry, platform: NodeJS.Platform, definedIn: DefinedIn) => JsonMap)
    | undefined;
  /** Where the file has what `reshape` has put at a path. It is asked for where a place is told, and for nothing else. */
  readonly writtenAt?: ((path: JsonPath, entry: JsonMap, platform: NodeJS.Platform) => JsonPath) | undefined;
  /**
   * Entries to show to somebody whose file has none, or has something else in their place. Default: a command, and a URL with a type if
   * the host wants one.
   */
  readonly examples?: readonly JsonMap[] | undefined;
  /** What an entry needs to be given before it can be used. */
  readonly requires?: ((entry: JsonMap) => WrittenServer["requires"]) | undefined;
  /** What reshaping an entry takes out of it, to be kept in `extra`. */
  readonly keptAside?: ((entry: JsonMap) => JsonMap | undefined) | undefined;
  /** What filling in an entry depends on besides its texts, to be kept in `extra` of its definition alone. */
  readonly asks?: ((entry: JsonMap, definedIn: DefinedIn) => JsonMap | undefined) | undefined;
  /** What the host makes of an entry beyond what is written, for its definition alone. */
  readonly meant?: ((written: WrittenServer) => WrittenServer) | undefined;
  /** What the host refuses an entry for, besides what every host does. */
  readonly refused?:
    | ((entry: JsonMap, name: string) => { readonly field: string; readonly text: string } | undefined)
    | undefined;
  /** Says why an entry that names no server is none that can be run, instead of its being a mistake. */
  readonly notRunnable?: ((entry: JsonMap) => string | undefined) | undefined;
}

/** The rules, with what follows from them. */
export interface EntryDialect extends EntryRules {
  /**
   * Whether a faulty optional field, a number where a text belongs and a key written twice refuse the entry, as they do in
   * Jackfield's own files.
   */
  readonly strict: boolean;
  /** Switches of other hosts that this one does not know, and that are read all the same. */
  readonly unknownSwitches: readonly SwitchField[];
  /** What an entry may look like. */
  readonly examples: readonly JsonMap[];
  /** Every field that the host knows. */
  readonly known: ReadonlySet<string>;
  /** The same in lower case, to find misspelled ones. */
  readonly knownInLowerCase: ReadonlyMap<string, string>;
  /** Those that say something else than how the server is reached. Most entries have none of them. */
  readonly settings: ReadonlySet<string>;
}

/** Names that most hosts use. Switches are read in the entries of every host. */
export const COMMON_FIELDS = {
  command: "command",
  args: "args",
  env: "env",
  cwd: "cwd",
  url: "url",
  headers: "headers",
} as const satisfies EntryFieldNames;

/** The transport rule of most hosts: `type`, and a URL alone is Streamable HTTP. */
export const COMMON_TRANSPORT: TransportRule = {
  field: "type",
  types: { stdio: "stdio", http: "http", "streamable-http": "http", streamableHttp: "http", sse: "sse" },
  untypedUrl: "http",
};

/** What says how a server is reached. */
const WAYS: ReadonlySet<keyof EntryFieldNames> = new Set([
  ...(["command", "args", "env", "envFile", "envPassthrough", "cwd"] as const),
  ...(["url", "headers", "headersFromEnv", "bearerTokenEnv"] as const),
]);

/** Completes the rules of a host's entries. What follows from them is worked out for the hosts whose entries are read. */
export function entryDialect(given: EntryRules, strict = false): EntryDialect {
  const { switches = [] } = given;
  const rules = switches === "none" ? given : { ...given, fields: withSwitches(given.fields) };
  let fields: ReturnType<typeof sortFields> | undefined;
  let knownInLowerCase: ReadonlyMap<string, string> | undefined;
  return {
    ...rules,
    strict,
    unknownSwitches: switches === "none" ? [] : SWITCHES.filter((field) => !switches.includes(field)),
    get examples() {
      return shortestEntries(rules);
    },
    get known() {
      fields ??= sortFields(rules);
      return fields.known;
    },
    get knownInLowerCase() {
      knownInLowerCase ??= new Map(Array.from(this.known, (field) => [field.toLowerCase(), field]));
      return knownInLowerCase;
    },
    get settings() {
      fields ??= sortFields(rules);
      return fields.settings;
    },
  };
}

function withSwitches(fields: EntryFieldNames): EntryFieldNames {
  const { enabled = [], disabled = [] } = fields;
  return { ...fields, enabled: ["enabled", enabled].flat(), disabled: ["disabled", disabled].flat() };
}

function sortFields({
  transport,
  fields,
  oauth,
  kept = [],
  outdated,
  commands = [],
  toolsObject,
}: EntryRules) {
  const known = new Set<string>();
  const settings = new Set<string>();
  for (const what of Object.keys(fields) as (keyof EntryFieldNames)[]) {
    for (const name of namesOf(fields[what])) {
      known.add(name);
      if (!WAYS.has(what)) settings.add(name);
    }
  }
  if (toolsObject !== undefined) settings.add(toolsObject);
  const others = [...kept, ...commands, ...Object.keys(outdated ?? {}), ...Object.keys(oauth?.fields ?? {})];
  for (const field of [...others, transport.field, oauth?.object, toolsObject]) {
    if (field !== undefined) known.add(field);
  }
  return { known, settings };
}

function namesOf(written: EntryFieldNames[keyof EntryFieldNames]): readonly string[] {
  if (typeof written === "string") return [written];
  return (written ?? []).map((field) => (typeof field === "string" ? field : field.field));
}

/** A command in an array, with its arguments, as two fields; `placeInCommand` knows where they stand. */
export function splitCommand(entry: JsonMap): JsonMap {
  const { command, args } = entry;
  if (!Array.isArray(command)) return entry;
  const [executable, ...own] = command;
  return { ...entry, command: executable, args: Array.isArray(args) ? [...own, ...args] : own };
}
