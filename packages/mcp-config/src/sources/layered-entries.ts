import { dirname } from "node:path";
import type { DefinedIn } from "@jackfield/mcp-core";
import { anchorPath } from "../anchored-path.ts";
import { fieldName, type JsonPath } from "../documents/json-path.ts";
import { createMap, isMap } from "../documents/json-value.ts";
import { keepSpellingIn } from "../documents/number-spellings.ts";
import type { HostDialect } from "../hosts/host-dialect.ts";
import { isLoaderVariable } from "../loader-variables.ts";
import { baseDirectory, type JoinedPlace, type PartPlace } from "../project-boundary.ts";
import { expandVariables, NO_VARIABLES, type VariableReference } from "../variables.ts";
import type { DocumentEntry } from "./document-entries.ts";

/**
 * Joins entries of one name field by field, as hosts do whose files are layers. A place in the joined entry is that of the
 * strongest layer which has it. If a project has a part in it the whole is the project's, because a project that changes where
 * a server is must not get the user's secrets along with it (threat T12). Paths stay relative to the file that wrote them, and are
 * judged as its own.
 *
 * @param entries - the strongest first
 * @param platform - the system they are read for
 */
export function layerEntries(
  entries: readonly DocumentEntry[],
  platform: NodeJS.Platform,
): readonly DocumentEntry[] {
  const byName = Map.groupBy(entries, ({ name }) => name);
  return Array.from(byName.values(), (layers) => {
    const others = layers.filter(({ definedIn }) => definedIn.scope !== "project");
    const joined = joinLayers(layersInUse(layers), platform);
    if (others.length === 0 || others.length === layers.length) return joined;
    return { ...joined, withoutProject: joinLayers(layersInUse(others), platform) };
  });
}

/** A layer that replaces what is beneath it is the last one that counts. */
function layersInUse(layers: readonly DocumentEntry[]): readonly DocumentEntry[] {
  const replacing = layers.findIndex(({ replaces }) => replaces);
  return replacing === -1 ? layers : layers.slice(0, replacing + 1);
}

function joinLayers(layers: readonly DocumentEntry[], platform: NodeJS.Platform): DocumentEntry {
  const [strongest] = layers as [DocumentEntry];
  if (layers.length === 1) return strongest;
  const { joins = {}, fitLayers = (all) => all } = strongest.dialect;
  const values = fitLayers(layers.map(withOwnFiles));
  const value = values.reduceRight((weaker, stronger) => joinEntries(stronger, weaker, joins));
  const writerOf = (path: JsonPath) =>
    layers.find((_layer, index) => hasPath(values[index], path)) ?? strongest;
  const whole = joinPlaces(layers);
  const parts = partsOf(value, whole, { strongest, platform, writerOf });
  const definedIn: JoinedPlace = parts ? { ...whole, parts } : whole;
  return {
    ...strongest,
    value,
    definedIn,
    locate: (path) => writerOf(path).locate(path),
  };
}

/** What a layer says, with the files that it refers to named from anywhere. */
function withOwnFiles({ value, definedIn: { file }, dialect: { variables } }: DocumentEntry): unknown {
  if (file === undefined) return value;
  const fill = (reference: VariableReference) => withOwnFile(reference, dirname(file));
  const fillAll = (written: unknown): unknown => {
    if (typeof written === "string") return expandVariables(written, fill, variables);
    if (Array.isArray(written)) return written.map(fillAll);
    if (!isMap(written)) return written;
    const filled = createMap();
    for (const key of Object.keys(written)) {
      filled[key] = fillAll(written[key]);
      keepSpellingIn(filled, key, written);
    }
    return filled;
  };
  return fillAll(value);
}

/** No reference can have a brace in it; a file that has one in its path is not found then, and neither is another. */
function withOwnFile({ kind, name, written }: VariableReference, folder: string): string {
  if (kind !== "file" || name === "") return written;
  const at = written.lastIndexOf(name);
  const path = anchorPath(name, folder, NO_VARIABLES).replace(/[{}]/g, "?");
  return written.slice(0, at) + path + written.slice(at + name.length);
}

function joinPlaces(layers: readonly DocumentEntry[]): DefinedIn {
  const places = layers.map(({ definedIn }) => definedIn);
  const [strongest] = places as [DefinedIn];
  const ofProject = places.find(({ scope }) => scope === "project");
  if (!ofProject) return strongest;
  return { ...strongest, scope: "project", root: baseDirectory(ofProject) };
}

interface Joining {
  readonly strongest: DocumentEntry;
  readonly platform: NodeJS.Platform;
  /** The strongest layer that has something at a path. */
  readonly writerOf: (path: JsonPath) => DocumentEntry;
}

/** Who wrote what a project may not write as it likes, and what is relative, where that is not as for the whole. */
function partsOf(
  value: unknown,
  whole: DefinedIn,
  { strongest, platform, writerOf }: Joining,
): JoinedPlace["parts"] {
  if (!isMap(value)) return undefined;
  const { command, cwd, env } = strongest.dialect.entry.fields;
  const parts = createMap<PartPlace>();
  const add = (path: JsonPath, written: JsonPath) => {
    const { scope, file, realFile, root } = writerOf(written).definedIn;
    const part = { scope, file, realFile, root };
    const isAsWhole = (scope === "project") === (whole.scope === "project");
    if (!isAsWhole || baseDirectory(part) !== baseDirectory(whole)) parts[fieldName(path)] = part;
  };
  if (typeof command === "string" && Object.hasOwn(value, command)) add(["command"], [command]);
  if (typeof cwd === "string" && Object.hasOwn(value, cwd)) add(["cwd"], [cwd]);
  const variables = typeof env === "string" && whole.scope === "project" ? value[env] : undefined;
  for (const name of isMap(variables) ? Object.keys(variables) : []) {
    if (isLoaderVariable(name, platform)) add(["env", name], [String(env), name]);
  }
  return Object.keys(parts).length > 0 ? parts : undefined;
}

function joinEntries(stronger: unknown, weaker: unknown, joins: NonNullable<HostDialect["joins"]>): unknown {
  const merged = mergeDeep(stronger, weaker);
  if (!isMap(stronger) || !isMap(weaker) || !isMap(merged)) return merged;
  for (const field of Object.keys(joins)) {
    const haveBoth = Object.hasOwn(stronger, field) && Object.hasOwn(weaker, field);
    if (haveBoth) merged[field] = joins[field]?.(stronger[field], weaker[field]);
  }
  return merged;
}

function mergeDeep(stronger: unknown, weaker: unknown): unknown {
  if (!isMap(stronger) || !isMap(weaker)) return stronger;
  const merged = createMap();
  for (const key of Object.keys(weaker)) merged[key] = weaker[key];
  for (const key of Object.keys(stronger)) {
    merged[key] = Object.hasOwn(weaker, key) ? mergeDeep(stronger[key], weaker[key]) : stronger[key];
  }
  for (const key of Object.keys(merged)) {
    keepSpellingIn(merged, key, Object.hasOwn(stronger, key) ? stronger : weaker);
  }
  return merged;
}

function hasPath(root: unknown, path: JsonPath): boolean {
  let value = root;
  for (const step of path) {
    const isContainer = isMap(value) || Array.isArray(value);
    if (!isContainer || !Object.hasOwn(value as object, step)) return false;
    value = (value as { [key: string]: unknown })[step];
  }
  return true;
}
