import { type DefinedIn, isRecord, isSameJson } from "@jackfield/mcp-core";
import type { DiagnosticDetails } from "../find/diagnostics.ts";
import { createMap, type JsonMap, type JsonPath, kindOf, ownMember } from "../read/json-value.ts";
import { quote } from "./server-name.ts";
import type { FieldName } from "./shape.ts";
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

/** The names that a host has for the fields that Jackfield knows. The first one that is written counts. */
export type EntryFieldNames = {
  readonly [field in FieldName]?: field extends "timeoutMs" | "connectTimeoutMs" | "maxTotalMs"
    ? readonly (string | TimeField)[]
    : FieldNames;
};

/** Reports something that a dialect's function has found in an entry, at a field or at a path inside one. */
export type RemarkOnEntry = (
  code:
    | ("legacy-shape" | "legacy-field" | "deprecated-field" | "invalid-field")
    | ("unknown-field" | "unused-field" | "self-approval" | "unsupported-address" | "literal-secret"),
  at: string | JsonPath,
  text: string,
  details?: DiagnosticDetails,
) => void;

/** Why a host refuses an entry: the field, empty for the entry itself, and a sentence. */
export interface HostFault {
  readonly field: string;
  readonly text: string;
}

/** What converting an entry may depend on. */
export interface ReshapeContext {
  readonly remark: RemarkOnEntry;
  readonly platform: NodeJS.Platform;
  readonly definedIn: DefinedIn;
  /** The entry with its inner objects. */
  readonly given: JsonMap;
}

/** An object in an entry whose members are fields of the entry. */
export interface InnerObject {
  readonly field: string;
  /** Its members, each with the field that it is. Default: every member, by its own name. */
  readonly members?: { readonly [member: string]: string } | undefined;
  /** Whether anything but an object is a field of that name. Default: it is left out. */
  readonly mayBeField?: boolean | undefined;
  /** Whether it concerns remote servers only. For others it is kept. */
  readonly isOfRemote?: boolean | undefined;
  /** What is remarked on the object, for one that only older versions write. */
  readonly isOld?: string | undefined;
}

/** The rules by which the entries of a host are read. */
export interface EntryDialect {
  /** Whether a faulty optional field, a number in place of a text or a duplicate key refuses the entry, as in Jackfield's own files. Default false. */
  readonly strict?: boolean | undefined;
  /** How an entry names its transport. */
  readonly transport: {
    /** The field with the type; missing for hosts that only look at `command` and `url`. */
    readonly field?: string | undefined;
    /** The values of that field. */
    readonly types: { readonly [written: string]: WrittenServer["transport"] };
    /** What a URL without a type means; `refused` if the host requires the type. */
    readonly untypedUrl: "http" | "sse" | "refused";
  };
  readonly fields: EntryFieldNames;
  /** Where an entry has its OAuth settings. */
  readonly oauth?:
    | {
        /** The field that holds them as an object, or `true` or `false`. */
        readonly object?: string | undefined;
        /** Members of that object, with Jackfield's names for them where those differ. */
        readonly members?: { readonly [written: string]: string } | undefined;
        /** Fields of the entry itself, with Jackfield's names for the settings. */
        readonly fields?: { readonly [written: string]: string } | undefined;
      }
    | undefined;
  /** Fields that the host knows and Jackfield does not read; they are kept in `extra` without a remark. */
  readonly extraFields?: readonly string[] | undefined;
  /**
   * The switches that the host knows; `none` for a format without switches, in which none is read. Other switches are obeyed all
   * the same, with a remark, since somebody meant them. Default: the host knows none.
   */
  readonly switches?: readonly ("enabled" | "disabled")[] | "none" | undefined;
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
  /** Objects in an entry whose members are read as fields of the entry itself. What else they hold is kept in `extra`. */
  readonly inner?: readonly InnerObject[] | undefined;
  /** Converts an entry of an unusual shape to the usual one before it is read. Must not modify its arguments. */
  readonly reshape?: ((entry: JsonMap, context: ReshapeContext) => JsonMap) | undefined;
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
  readonly findFault?: ((entry: JsonMap, name: string) => HostFault | undefined) | undefined;
  /** Says why an entry cannot be run although it is no mistake, for example because its host starts the server itself. */
  readonly notRunnable?: ((entry: JsonMap) => string | undefined) | undefined;
}

/** Names that most hosts use. */
export const COMMON_FIELDS = {
  command: "command",
  args: "args",
  env: "env",
  cwd: "cwd",
  url: "url",
  headers: "headers",
} as const satisfies EntryFieldNames;

/** The transport rule of most hosts: `type`, and a URL alone is Streamable HTTP. */
export const COMMON_TRANSPORT: EntryDialect["transport"] = {
  field: "type",
  types: { stdio: "stdio", http: "http", "streamable-http": "http", streamableHttp: "http", sse: "sse" },
  untypedUrl: "http",
};

/** Splits a command in an array, with its arguments, into two fields; `placeInCommand` maps their paths back. */
export function splitCommand(entry: JsonMap): JsonMap {
  const { command, args } = entry;
  if (!Array.isArray(command)) return entry;
  const [executable, ...own] = command;
  return { ...entry, command: executable, args: Array.isArray(args) ? [...own, ...args] : own };
}

/** The path in the file of what `splitCommand` has put at a path. */
export function placeInCommand(path: JsonPath, { command, args }: JsonMap): JsonPath {
  if (!Array.isArray(command)) return path;
  const [field, index, ...inner] = path;
  if (field === "command") return ["command", 0];
  if (field !== "args") return path;
  if (typeof index !== "number") return [Array.isArray(args) ? "args" : "command"];
  const own = command.length - 1;
  return index < own ? ["command", index + 1, ...inner] : ["args", index - own, ...inner];
}

/** The placeholder for a value that only the user knows. */
export const GAP = "…";

/** Examples for formats that require the type and spell out `streamable-http`. */
export const TYPED_EXAMPLES: readonly JsonMap[] = [
  { type: "stdio", command: GAP },
  { type: "streamable-http", url: GAP },
];

/** The host's own examples, else the shortest entries that it accepts: a child process and a remote server. */
export function shortestEntries({ transport, fields, outdated, examples }: EntryDialect): readonly JsonMap[] {
  if (examples) return examples;
  const [command] = currentNames(fields.command, outdated);
  const [url] = currentNames(fields.url, outdated);
  const { field, types, untypedUrl } = transport;
  const type = Object.keys(types).find((written) => types[written] !== "stdio");
  const needed = untypedUrl === "refused" && field !== undefined ? { [field]: type } : {};
  return [
    ...(command === undefined ? [] : [{ [command]: GAP }]),
    ...(url === undefined ? [] : [{ ...needed, [url]: GAP }]),
  ];
}

/** The names of a field that messages may recommend, which are not the old ones. */
export function currentNames(
  names: FieldNames = [],
  outdated: EntryDialect["outdated"] = {},
): readonly string[] {
  return [names].flat().filter((name) => !Object.hasOwn(outdated, name));
}

/** An example as JSON, which YAML accepts as well, or as TOML. */
export function exampleText(value: unknown, isToml = false): string {
  if (Array.isArray(value)) return `[${value.map((element) => exampleText(element, isToml)).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.keys(value).map((name) => {
    const text = exampleText(value[name], isToml);
    return isToml ? `${name} = ${text}` : `${JSON.stringify(name)}: ${text}`;
  });
  return `{ ${members.join(", ")} }`;
}

/** A document with an example at a path, and with `beside` at its root. */
export function exampleAt(path: JsonPath, value: unknown, beside: JsonMap = {}): JsonMap {
  const [key = "", ...inner] = path;
  return { ...beside, [key]: inner.length > 0 ? exampleAt(inner, value) : value };
}

/**
 * An entry without its inner objects, whose members win over fields of the entry; but a switch to off counts wherever it stands.
 *
 * @returns also what is kept, although nothing reads it
 */
export function flatten(
  entry: JsonMap,
  { inner: objects = [] }: EntryDialect,
  remark: RemarkOnEntry = () => {},
): { readonly entry: JsonMap; readonly aside?: JsonMap } {
  if (!objects.some(({ field }) => entry[field] !== undefined)) return { entry };
  const flat = { ...entry };
  const aside = createMap();
  for (const { field, mayBeField, isOfRemote, isOld, ...inner } of objects) {
    const held = entry[field];
    if (held === undefined || (mayBeField && !isRecord(held))) continue;
    delete flat[field];
    if (!isRecord(held)) {
      remark(
        "invalid-field",
        field,
        `${quote(field)} must be an object, not ${kindOf(held)}. It is left out.`,
      );
      continue;
    }
    if (isOfRemote && entry.command !== undefined) {
      if (Object.keys(held).length > 0) aside[field] = held;
      const idle = Object.keys(held).filter((member) => fieldOf(member, inner) !== undefined);
      for (const member of idle)
        remark(
          "unused-field",
          field,
          `${quote(member)} in ${quote(field)} has no effect for a local server.`,
        );
      continue;
    }
    if (isOld !== undefined) remark("legacy-shape", field, isOld);
    const left = createMap();
    for (const [member, value] of Object.entries(held)) {
      const name = fieldOf(member, inner);
      const outdone = name !== undefined && name !== field && value !== undefined ? entry[name] : undefined;
      const isOutdone = outdone !== undefined && !isSameJson(outdone, value);
      const [own, nested] = [quote(name ?? ""), `${quote(member)} in ${quote(field)}`];
      if (name === undefined) left[member] = value;
      else if (isOutdone && isOff(name, outdone)) {
        left[member] = value;
        remark("unused-field", field, `${nested} is ignored; ${own} wins.`);
      } else {
        if (isOutdone) aside[name] = outdone;
        if (isOutdone) remark("unused-field", name, `${own} is ignored; ${nested} wins.`);
        flat[name] = value;
      }
    }
    if (Object.keys(left).length > 0) aside[field] = left;
  }
  return Object.keys(aside).length > 0 ? { entry: flat, aside } : { entry: flat };
}

function fieldOf(member: string, { members }: Pick<InnerObject, "members">): string | undefined {
  return members === undefined ? member : ownMember(members, member);
}

function isOff(field: string, value: unknown): boolean {
  return (field === "disabled" && value === true) || (field === "enabled" && value === false);
}

/** The path in the file of what is read at a path of the entry. */
export function placeInEntry(
  path: JsonPath,
  entry: JsonMap,
  dialect: EntryDialect,
  platform: NodeJS.Platform,
): JsonPath {
  const { inner: objects = [], writtenAt } = dialect;
  const { entry: flat } = flatten(entry, dialect);
  const found = writtenAt?.(path, flat, platform) ?? path;
  const [name = "", ...rest] = found;
  for (const { field, isOfRemote, ...inner } of objects) {
    const held = entry[field];
    if (!isRecord(held) || (isOfRemote && entry.command !== undefined) || isOff(String(name), entry[name]))
      continue;
    const member = Object.keys(held).find((one) => fieldOf(one, inner) === name);
    if (member !== undefined) return [field, member, ...rest];
  }
  return found;
}
