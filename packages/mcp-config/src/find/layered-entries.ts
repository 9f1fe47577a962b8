import { type DefinedIn, isRecord } from "@jackfield/mcp-core";
import { isLoaderVariable } from "../entry/loader-variables.ts";
import { createMap, type JsonPath } from "../read/json-value.ts";
import type { DocumentEntry } from "./entries.ts";
import { baseDirectory, type PartPlace } from "./project-boundary.ts";

/**
 * Joins entries of one name field by field, as Codex does. The location of a field is in the strongest layer that has it. If a
 * project has a part in an entry, the whole entry counts as the project's, because a project that changes a server's address must not
 * get the user's secrets along with it (threat T12); what the user's files alone give comes behind it, for when the project's part
 * does not count. Paths stay relative to the file that wrote them, and are judged by its scope.
 *
 * @param entries - the strongest first
 * @param platform - the platform they are read for
 */
export function layerEntries(
  entries: readonly DocumentEntry[],
  platform: NodeJS.Platform,
): readonly DocumentEntry[] {
  const byName = Map.groupBy(entries, ({ name }) => name);
  return Array.from(byName.values()).flatMap((layers) => {
    const ofUser = layers.filter(({ definedIn }) => definedIn.scope !== "project");
    const joined = joinLayers(layers, platform);
    const isOfOne = ofUser.length === 0 || ofUser.length === layers.length;
    return isOfOne ? [joined] : [joined, joinLayers(ofUser, platform)];
  });
}

function joinLayers(layers: readonly DocumentEntry[], platform: NodeJS.Platform): DocumentEntry {
  const [strongest] = layers as [DocumentEntry];
  if (layers.length === 1) return strongest;
  const value = layers
    .map((layer) => layer.value)
    .reduceRight((weaker, stronger) => joinValues(stronger, weaker));
  const writerOf = (path: JsonPath) => layers.find((layer) => hasPath(layer.value, path)) ?? strongest;
  const places = layers.map(({ definedIn }) => definedIn);
  const ofProject = places.find(({ scope }) => scope === "project");
  const whole: DefinedIn = ofProject
    ? { ...strongest.definedIn, scope: "project", root: baseDirectory(ofProject) }
    : strongest.definedIn;
  const parts = partsOf(value, whole, platform, (path) => writerOf(path).definedIn);
  return {
    ...strongest,
    value,
    definedIn: parts ? { ...whole, parts } : whole,
    locate: (path) => writerOf(path).locate(path),
  };
}

/**
 * The writers of fields that another file wrote than the one `whole` names: `command`, `cwd`, and in a project's entry the variables
 * that load code. The host that joins fields has the same names for them, and refers to no files.
 */
function partsOf(
  value: unknown,
  whole: DefinedIn,
  platform: NodeJS.Platform,
  writerOf: (path: JsonPath) => DefinedIn,
): DefinedIn["parts"] {
  if (!isRecord(value)) return undefined;
  const parts = createMap<PartPlace>();
  const add = (...path: readonly [string, ...string[]]) => {
    const { scope, file, realFile, root } = writerOf(path);
    const isSameFile = (realFile ?? file) === (whole.realFile ?? whole.file);
    const isAsWhole = isSameFile && (scope === "project") === (whole.scope === "project");
    if (!isAsWhole) parts[path.join(".")] = { scope, file, realFile, root };
  };
  for (const field of ["command", "cwd"]) if (value[field] !== undefined) add(field);
  const names = whole.scope === "project" && isRecord(value.env) ? Object.keys(value.env) : [];
  for (const name of names) if (isLoaderVariable(name, platform)) add("env", name);
  return Object.keys(parts).length > 0 ? parts : undefined;
}

function joinValues(stronger: unknown, weaker: unknown): unknown {
  if (!isRecord(stronger) || !isRecord(weaker)) return stronger;
  const joined = createMap();
  for (const key of Object.keys(weaker)) joined[key] = weaker[key];
  for (const key of Object.keys(stronger)) {
    joined[key] = Object.hasOwn(weaker, key) ? joinValues(stronger[key], weaker[key]) : stronger[key];
  }
  return joined;
}

function hasPath(root: unknown, path: JsonPath): boolean {
  let value = root;
  for (const step of path) {
    const isContainer = isRecord(value) || Array.isArray(value);
    if (!isContainer || !Object.hasOwn(value as object, step)) return false;
    value = (value as { [key: string]: unknown })[step];
  }
  return true;
}
