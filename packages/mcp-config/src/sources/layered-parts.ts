import { type DefinedIn, isRecord } from "@jackfield/mcp-core";
import { fieldName, type JsonPath } from "../documents/json-path.ts";
import { createMap, valueAt } from "../documents/json-value.ts";
import { REFERRING_SETTINGS } from "../entries/oauth-fields.ts";
import { writtenPaths } from "../entries/written-path.ts";
import type { HostDialect } from "../hosts/host-dialect.ts";
import { isLoaderVariable } from "../loader-variables.ts";
import type { PartPlace } from "../project-boundary.ts";
import { references } from "../variables.ts";

/** An entry that was joined from layers. */
export interface JoinedEntry {
  readonly value: unknown;
  /** The place that the whole entry counts as. */
  readonly whole: DefinedIn;
  readonly dialect: HostDialect;
  readonly platform: NodeJS.Platform;
  /** The place of the strongest layer that has something at a path of the entry. */
  readonly writerOf: (path: JsonPath) => DefinedIn;
}

/**
 * The writers of fields that another file wrote than the one `whole` names: `command`, `cwd`, texts that refer to files or
 * commands, and in a project's entry the variables that load code.
 */
export function partsOf({ value, whole, dialect, platform, writerOf }: JoinedEntry): DefinedIn["parts"] {
  if (!isRecord(value)) return undefined;
  const parts = createMap<PartPlace>();
  const find = writtenPaths(value, { dialect: dialect.entry, platform });
  const textAt = (path: JsonPath) => valueAt(value, find(path));
  const add = (path: JsonPath) => {
    const { scope, file, realFile, root } = writerOf(find(path));
    const isSameFile = (realFile ?? file) === (whole.realFile ?? whole.file);
    const isAsWhole = isSameFile && (scope === "project") === (whole.scope === "project");
    if (!isAsWhole) parts[fieldName(path)] = { scope, file, realFile, root };
  };
  const addIfReferring = (path: JsonPath) => {
    const isValue = path[0] !== "args" && path.length > 1;
    if (refersElsewhere(textAt(path), dialect, isValue)) add(path);
  };
  for (const path of [["command"], ["cwd"]]) if (textAt(path) !== undefined) add(path);
  addIfReferring(["url"]);
  for (let index = 0; textAt(["args", index]) !== undefined; index += 1) addIfReferring(["args", index]);
  for (const name of namesIn(textAt(["headers"]))) addIfReferring(["headers", name]);
  for (const setting of REFERRING_SETTINGS) addIfReferring(["oauth", setting]);
  for (const name of namesIn(textAt(["env"]))) {
    if (whole.scope === "project" && isLoaderVariable(name, platform)) add(["env", name]);
    else addIfReferring(["env", name]);
  }
  return Object.keys(parts).length > 0 ? parts : undefined;
}

/** Whether a text refers to a file or a command. Both depend on the folder of the file that wrote it. */
function refersElsewhere(text: unknown, { variables }: HostDialect, isValue: boolean): boolean {
  if (typeof text !== "string") return false;
  return [...references(text, variables, isValue)].some(({ reference }) =>
    ["file", "command"].includes(reference.kind),
  );
}

function namesIn(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [];
}
