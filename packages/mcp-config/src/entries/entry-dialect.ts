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
  /** The unit of the number. Default milliseconds. */
  readonly unit?: "seconds" | undefined;
  /** A time outside these bounds is ignored by the host, as it is here. */
  readonly leastMs?: number | undefined;
  readonly mostMs?: number | undefined;
}

type TextField = "command" | "envFile" | "cwd" | "url" | "bearerTokenEnv" | "title" | "description";
type ListField = "args" | "envPassthrough" | "autoApprove";
type MapField = "env" | "headers" | "headersFromEnv";
type FlagField = "required" | "trust" | "lazy" | "shared" | "trustAnnotations";

/** The names that a host has for the fields that Jackfield knows. */
export type EntryFieldNames = {
  readonly [field in
    | TextField
    | ListField
    | MapField
    | FlagField
    | "maxMessageBytes"
    | "maxTools"
    | "era"]?: FieldNames;
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

/** How an entry names its transport. */
export interface TransportRule {
  /** The field with the type; missing for hosts that only look at `command` and `url`. */
  readonly field?: string | undefined;
  /** The values of that field. */
  readonly types: { readonly [written: string]: WrittenServer["transport"] };
  /** What a URL without a type means; `refused` if the host requires the type. */
  readonly untypedUrl: "http" | "sse" | "refused";
}

/** Where an entry has its OAuth settings. */
export interface OAuthRule {
  /** The field that holds them as an object, or `true` or `false`. */
  readonly object?: string | undefined;
  /** Members of that object, with Jackfield's names for them where those differ. */
  readonly members?: { readonly [written: string]: string } | undefined;
  /** Fields of the entry itself, with Jackfield's names for the settings. */
  readonly fields?: { readonly [written: string]: string } | undefined;
}

/** Reports something that a dialect's function has found in an entry, at a field or at a path inside one. */
export type RemarkOnEntry = (
  code:
    | ("legacy-shape" | "legacy-field" | "deprecated-field" | "invalid-field")
    | ("unknown-field" | "unused-field" | "self-approval" | "unsupported-address" | "literal-secret"),
  at: string | JsonPath,
  text: string,
  details?: DiagnosticDetails,
) => void;

/** The fields by which hosts switch servers on and off. */
export type SwitchField = "enabled" | "disabled";

const SWITCHES: readonly SwitchField[] = ["enabled", "disabled"];

/** The rules by which the entries of a host are read. */
export interface EntryRules {
  readonly transport: TransportRule;
  readonly fields: EntryFieldNames;
  readonly oauth?: OAuthRule | undefined;
  /** Fields that the host knows and Jackfield does not read; they are kept in `extra` without a remark. */
  readonly extraFields?: readonly string[] | undefined;
  /**
   * The switches that the host knows; `none` for a format without switches, in which none is read. Other switches are obeyed all
   * the same, with a remark, since somebody meant them. Default: the host knows none.
   */
  readonly switches?: readonly SwitchField[] | "none" | undefined;
  /** Old names of fields, with the diagnostic for each. */
  readonly outdated?: { readonly [field: string]: "legacy-field" | "deprecated-field" } | undefined;
  /** Fields that hold a command, which is never run. */
  readonly commandFields?: readonly string[] | undefined;
  /** Schemes of URLs that the host can reach. Default `http` and `https`. */
  readonly urlSchemes?: readonly string[] | undefined;
  /** The field with an object of `include` and `exclude`. */
  readonly toolsObject?: string | undefined;
  /** Whether an empty list of tools to include means all of them. */
  readonly emptyIncludesAll?: boolean | undefined;
  /** Converts an entry of an unusual shape to the usual one before it is read. Must not modify its arguments. */
  readonly reshape?:
    | ((entry: JsonMap, remark: RemarkOnEntry, platform: NodeJS.Platform, definedIn: DefinedIn) => JsonMap)
    | undefined;
  /** The path in the file of what `reshape` has put at a path: for locations, and to find the layer that wrote a field. */
  readonly writtenAt?: ((path: JsonPath, entry: JsonMap, platform: NodeJS.Platform) => JsonPath) | undefined;
  /**
   * Example entries for messages about a file without servers, or with something else in their place. Default: a command, and a
   * URL, with a type if the host requires one.
   */
  readonly examples?: readonly JsonMap[] | undefined;
  /** The values that an entry needs before it can be used. */
  readonly requires?: ((entry: JsonMap) => WrittenServer["requires"]) | undefined;
  /** What `reshape` removes from an entry, to be kept in `extra`. */
  readonly removedFields?: ((entry: JsonMap) => JsonMap | undefined) | undefined;
  /** What expanding an entry depends on besides its texts, such as default answers; kept in `extra` of the definition only. */
  readonly readExpansionData?: ((entry: JsonMap, definedIn: DefinedIn) => JsonMap | undefined) | undefined;
  /** Adds to the definition, and to nothing else, what the host adds to an entry. */
  readonly addHostFields?: ((written: WrittenServer) => WrittenServer) | undefined;
  /** Why this host refuses an entry, besides the reasons that hold for every host. */
  readonly findFault?:
    | ((entry: JsonMap, name: string) => { readonly field: string; readonly text: string } | undefined)
    | undefined;
  /** Says why an entry cannot be run although it is no mistake, for example because its host starts the server itself. */
  readonly notRunnable?: ((entry: JsonMap) => string | undefined) | undefined;
}

/** The rules, with what is derived from them. */
export interface EntryDialect extends EntryRules {
  /** Whether a faulty optional field, a number in place of a text or a duplicate key refuses the entry, as in Jackfield's own files. */
  readonly strict: boolean;
  /** Switches that this host does not know; they are read all the same. */
  readonly unknownSwitches: readonly SwitchField[];
  /** Example entries for messages. */
  readonly examples: readonly JsonMap[];
  /** Every field that the host knows. */
  readonly known: ReadonlySet<string>;
  /** The same in lower case, to find misspelled ones. */
  readonly knownInLowerCase: ReadonlyMap<string, string>;
  /** Known fields that do not say how the server is reached. Most entries have none of them. */
  readonly settings: ReadonlySet<string>;
}

/** Names that most hosts use. `entryDialect` adds the switches. */
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

/** The fields that say how a server is reached. */
const WAYS: ReadonlySet<keyof EntryFieldNames> = new Set([
  ...(["command", "args", "env", "envFile", "envPassthrough", "cwd"] as const),
  ...(["url", "headers", "headersFromEnv", "bearerTokenEnv"] as const),
]);

/** Completes the rules of a host's entries. What is derived from them is computed on first use. */
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
  extraFields = [],
  outdated,
  commandFields = [],
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
  const others = [
    ...extraFields,
    ...commandFields,
    ...Object.keys(outdated ?? {}),
    ...Object.keys(oauth?.fields ?? {}),
  ];
  for (const field of [...others, transport.field, oauth?.object, toolsObject]) {
    if (field !== undefined) known.add(field);
  }
  return { known, settings };
}

function namesOf(written: EntryFieldNames[keyof EntryFieldNames]): readonly string[] {
  if (typeof written === "string") return [written];
  return (written ?? []).map((field) => (typeof field === "string" ? field : field.field));
}

/** Splits a command in an array, with its arguments, into two fields; `placeInCommand` maps their paths back. */
export function splitCommand(entry: JsonMap): JsonMap {
  const { command, args } = entry;
  if (!Array.isArray(command)) return entry;
  const [executable, ...own] = command;
  return { ...entry, command: executable, args: Array.isArray(args) ? [...own, ...args] : own };
}
