import {
  type DefinitionScope,
  isRecord,
  type ServerDefinition,
  type SourceLocation,
} from "@jackfield/mcp-core";
import type { SourceEntry } from "../entry/entry.ts";
import type { EntryDialect } from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import { FIELDS, isAbsent, shapeOf } from "../entry/shape.ts";
import type { FindingContext, SwitchPlace } from "../hosts/host-dialect.ts";
import { fieldName, type JsonMap, type JsonPath, kindOf } from "../read/json-value.ts";
import { describeLocation, diagnose, type Report } from "./diagnostics.ts";
import type { DocumentEntry } from "./entries.ts";
import type { ParsedHostText } from "./host-files.ts";

/** Something in a host's files that switches its servers by name, outside of their entries or in an entry that holds nothing else. */
export interface HostSwitch {
  /** `others-off`: every server that is not among `names` is off. */
  readonly turns: "on" | "off" | "others-off";
  /** The names, and where each stands. */
  readonly names: ReadonlyMap<string, JsonPath>;
  /** What it is called, for example `mcp.excluded`. */
  readonly title: string;
  /** The scope of its file. */
  readonly scope: DefinitionScope;
  readonly of?: SwitchPlace["of"] | "not-project";
  readonly ignoresCase?: boolean | undefined;
  /** Where it stands. */
  readonly path: JsonPath;
  locate(path: JsonPath): SourceLocation;
}

/** Reads what switches servers outside of their entries, from the strongest file to the weakest. What cannot be read is reported. */
export function readSwitches(
  documents: readonly ParsedHostText[],
  context: FindingContext,
  report: Report,
): readonly HostSwitch[] {
  const seen = new Set<string>();
  return documents.flatMap((document) =>
    (document.dialect.switches ?? []).flatMap((place, index): HostSwitch[] => {
      if (!place.in.includes(document.kind)) return [];
      // A file that is parsed by itself is shown as it means itself.
      const scope = context.isStandaloneFile ? "user" : document.scope;
      const paths = typeof place.path === "function" ? place.path(document.content, context) : [place.path];
      const found = paths.flatMap((path) => readSwitch(place, path, document, scope, report) ?? []);
      if (place.form !== "only" || found.length === 0) return found;
      // Of several lists of the only names, the strongest counts; a project's counts besides, since less runs with it.
      const key = `${index} ${scope === "project"}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return found;
    }),
  );
}

function readSwitch(
  { form, of, ignoresCase, nameField, title }: SwitchPlace,
  path: JsonPath,
  { content, document, dialect }: ParsedHostText,
  scope: DefinitionScope,
  report: Report,
): HostSwitch | undefined {
  const refuse = (at: JsonPath, found: unknown, wanted: string, effect: string) => {
    const location = document.locate(at);
    const text = `${quote(fieldName(at))} must be ${wanted}, not ${kindOf(found)}. ${effect}`;
    report(diagnose("invalid-field", `${describeLocation(location)}: ${text}`, location));
  };
  const tellRules = (at: JsonPath) => {
    const location = document.locate(at);
    const text = `${quote(fieldName(at))} is a rule about more than names of servers, which only ${dialect.title} applies. Jackfield uses the servers all the same: switch off by name what is not to run.`;
    report(diagnose("unapplied-rules", `${describeLocation(location)}: ${text}`, location));
  };
  let value: unknown = content;
  for (const [depth, step] of path.entries()) {
    if (!isRecord(value)) {
      refuse(path.slice(0, depth), value, "an object", "It is left out.");
      return undefined;
    }
    value = Object.hasOwn(value, step) ? value[step] : undefined;
    if (value === undefined) return undefined;
  }
  if (form === "rules") {
    if (typeof value === "object" && value !== null && Object.keys(value).length > 0) tellRules(path);
    return undefined;
  }
  const names = new Map<string, JsonPath>();
  const add = (name: string, at: JsonPath) => names.set(ignoresCase ? inLowerCase(name) : name, at);
  if (form === "map") {
    if (!isRecord(value)) refuse(path, value, "an object", "It is left out.");
    for (const [name, given] of isRecord(value) ? Object.entries(value) : []) {
      const isOn = isRecord(given) ? (given.enabled ?? true) : Array.isArray(given) || given;
      if (isOn !== true) add(name, [...path, name]);
      if (typeof isOn !== "boolean") refuse([...path, name], given, "true or false", "So it counts as off.");
    }
  } else if (Array.isArray(value)) {
    for (const [index, element] of (value as readonly unknown[]).entries()) {
      const at = [...path, index];
      const name = nameField !== undefined && isRecord(element) ? element[nameField] : element;
      if (typeof name === "string") add(name, at);
      else if (element === name || name !== undefined)
        refuse(at, name, "the name of a server", "It is left out; the other names count.");
      else if (form === "only") {
        tellRules(path);
        return undefined;
      } else tellRules(at);
    }
  } else {
    refuse(path, value, "a list of names", form === "off" ? "A single name counts." : "It is left out.");
    if (form !== "off" || typeof value !== "string") return undefined;
    add(value, path);
  }
  const turns = form === "on" ? "on" : form === "only" ? "others-off" : "off";
  return { turns, names, title, scope, of, ignoresCase, path, locate: (at) => document.locate(at) };
}

function inLowerCase(name: string): string {
  return name.trim().toLowerCase();
}

/**
 * The switch that an entry is for the entries of its name in other files: one that holds nothing but switches, or one that is off and does
 * not say where a server is. `undefined` for any other entry.
 *
 * @param isPart - whether the host joins entries, so that one with other fields changes the server as well
 */
export function switchOnly(found: DocumentEntry, isPart: boolean): HostSwitch | undefined {
  const { value, definedIn } = found;
  if (!isRecord(value) || definedIn.scope === "explicit") return undefined;
  const switches = switchesIn(found);
  const [first] = switches;
  if (first === undefined) return undefined;
  const off = switches.find(({ isOn }) => !isOn);
  const isNothingElse = switches.length === Object.keys(value).length;
  if (!isNothingElse && (isPart || off === undefined || mayRun(value, found.dialect.entry))) return undefined;
  return switchOf(found, off?.field ?? first.field, off === undefined ? "on" : "off");
}

/** The switch that a project's entry which is off is for the entries of its name that no project brought, even if it is faulty. */
export function offSwitch(found: DocumentEntry, { outcome }: SourceEntry): HostSwitch | undefined {
  const switches = switchesIn(found);
  const isOff =
    "definition" in outcome ? outcome.definition.enabled === false : switches.some(({ isOn }) => !isOn);
  if (!isOff) return undefined;
  return {
    ...switchOf(found, (switches.find(({ isOn }) => !isOn) ?? switches[0])?.field, "off"),
    of: "not-project",
  };
}

const TARGETS: readonly string[] = [
  ...FIELDS.command.spellings,
  ...FIELDS.url.spellings,
  "transport",
  "server_url",
  "base_url",
  "mcp_config",
];

/** Whether an entry says where a server is, under whatever name, or belongs to its host. */
function mayRun(entry: JsonMap, dialect: EntryDialect): boolean {
  return TARGETS.some((name) => !isAbsent(entry[name])) || dialect.notRunnable?.(entry) !== undefined;
}

function switchOf(
  { name, definedIn, locate }: DocumentEntry,
  field: string | undefined,
  turns: "on" | "off",
): HostSwitch {
  const path = field === undefined ? [] : [field];
  return {
    turns,
    names: new Map([[name, path]]),
    title: field ?? "its entry",
    scope: definedIn.scope,
    path,
    locate,
  };
}

/** The switches in an entry. One that cannot be read counts as off, as it does for the entry itself. */
function switchesIn({
  value,
  dialect,
}: DocumentEntry): readonly { readonly field: string; readonly isOn: boolean }[] {
  const { spellings } = shapeOf(dialect.entry);
  return Object.keys(isRecord(value) ? value : {}).flatMap((field) => {
    const spelling = spellings.get(field);
    const given = isRecord(value) ? value[field] : undefined;
    if (spelling?.kind !== "switch" || isAbsent(given)) return [];
    return { field, isOn: given === (spelling.field === "enabled") };
  });
}

/**
 * Applies the first switch that concerns an entry. A project's switches turn nothing on, and concern no entry that the user has made
 * for just this project.
 *
 * @param extension - the name of the extension that the entry comes from
 */
export function applySwitches(
  entry: SourceEntry,
  extension: string | undefined,
  switches: readonly HostSwitch[],
  report: Report,
): SourceEntry {
  const { name, definedIn, outcome } = entry;
  if (!("definition" in outcome)) return entry;
  for (const found of switches) {
    const { turns, names, title, scope, of, ignoresCase, path, locate } = found;
    const isOfProject = scope === "project";
    const isMeant =
      of === "not-project" ? definedIn.scope !== "project" : of === undefined || of === definedIn.scope;
    if (!isMeant || (of === "not-project" && outcome.definition.enabled === false)) continue;
    if (isOfProject && (turns === "on" || definedIn.scope === "local")) continue;
    const called = of === "extension" ? extension : name;
    if (called === undefined) continue;
    const at = names.get(ignoresCase ? inLowerCase(called) : called);
    if ((at === undefined) !== (turns === "others-off")) continue;
    if (turns === "on") return switched(entry, outcome, { enabled: true });
    const place = locate(at ?? path);
    const disabledBy =
      isOfProject && definedIn.scope !== "project" ? `${title} in ${describeLocation(place)}` : title;
    const message = `Server ${quote(name)} is switched off by ${quote(title)} in ${describeLocation(place)}.`;
    report(diagnose("disabled-by-host", message, place, { server: name }));
    return switched(entry, outcome, { enabled: false, disabledBy });
  }
  return entry;
}

function switched(
  entry: SourceEntry,
  { definition, written }: Extract<SourceEntry["outcome"], { definition: ServerDefinition }>,
  change: Pick<ServerDefinition, "enabled" | "disabledBy"> & { readonly enabled: boolean },
): SourceEntry {
  const outcome = {
    definition: { ...definition, ...change },
    ...(written ? { written: { ...written, enabled: change.enabled } } : {}),
  };
  return { ...entry, outcome };
}
