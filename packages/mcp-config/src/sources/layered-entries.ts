import { type DefinedIn, isRecord } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { createMap } from "../documents/json-value.ts";
import { keepSpellingIn } from "../documents/number-spellings.ts";
import type { HostDialect } from "../hosts/host-dialect.ts";
import { baseDirectory } from "../project-boundary.ts";
import type { DocumentEntry } from "./document-entries.ts";
import { partsOf } from "./layered-parts.ts";

/**
 * Joins entries of one name field by field, as hosts with layered files do. The location of a field is in the strongest layer that
 * has it. If a project has a part in an entry, the whole entry counts as the project's, because a project that changes a server's
 * address must not get the user's secrets along with it (threat T12). Paths stay relative to the file that wrote them, and are
 * judged by its scope.
 *
 * Layers that another one replaces as a whole are kept beside it, to be shown as shadowed.
 *
 * @param entries - the strongest first
 * @param platform - the platform they are read for
 */
export function layerEntries(
  entries: readonly DocumentEntry[],
  platform: NodeJS.Platform,
): readonly DocumentEntry[] {
  const byName = Map.groupBy(entries, ({ name }) => name);
  return Array.from(byName.values(), (layers) => {
    const joined = joinInUse(layers, platform);
    const others = layers.filter(({ definedIn }) => definedIn.scope !== "project");
    const hasProject = joined.definedIn.scope === "project" && others.length > 0;
    return hasProject ? { ...joined, withoutProject: joinInUse(others, platform) } : joined;
  });
}

function joinInUse(layers: readonly DocumentEntry[], platform: NodeJS.Platform): DocumentEntry {
  const used = layersInUse(layers);
  const joined = joinLayers(used, platform);
  const replaced: DocumentEntry[] = [];
  for (let rest = layers.slice(used.length); rest.length > 0; ) {
    const next = layersInUse(rest);
    replaced.push(joinLayers(next, platform));
    rest = rest.slice(next.length);
  }
  return replaced.length > 0 ? { ...joined, replaced } : joined;
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
  const values = fitLayers(layers.map(({ value }) => value));
  const value = values.reduceRight((weaker, stronger) => joinEntries(stronger, weaker, joins));
  const writerOf = (path: JsonPath) =>
    layers.find((_layer, index) => hasPath(values[index], path)) ?? strongest;
  const whole = joinPlaces(layers);
  const { dialect } = strongest;
  const parts = partsOf({
    ...{ value, whole, dialect, platform },
    writerOf: (path) => writerOf(path).definedIn,
  });
  const definedIn = parts ? { ...whole, parts } : whole;
  return {
    ...strongest,
    value,
    definedIn,
    locate: (path) => writerOf(path).locate(path),
  };
}

function joinPlaces(layers: readonly DocumentEntry[]): DefinedIn {
  const places = layers.map(({ definedIn }) => definedIn);
  const [strongest] = places as [DefinedIn];
  const ofProject = places.find(({ scope }) => scope === "project");
  if (!ofProject) return strongest;
  return { ...strongest, scope: "project", root: baseDirectory(ofProject) };
}

function joinEntries(stronger: unknown, weaker: unknown, joins: NonNullable<HostDialect["joins"]>): unknown {
  const merged = mergeDeep(stronger, weaker);
  if (!isRecord(stronger) || !isRecord(weaker) || !isRecord(merged)) return merged;
  for (const field of Object.keys(joins)) {
    const haveBoth =
      Object.hasOwn(stronger, field) && Object.hasOwn(weaker, field) && stronger[field] !== null;
    if (haveBoth) merged[field] = joins[field]?.(stronger[field], weaker[field]);
  }
  return merged;
}

function mergeDeep(stronger: unknown, weaker: unknown): unknown {
  // `null` is what many tools write for a list or an object that is not set.
  if (stronger === null && typeof weaker === "object") return weaker;
  if (!isRecord(stronger) || !isRecord(weaker)) return stronger;
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
    const isContainer = isRecord(value) || Array.isArray(value);
    if (!isContainer || !Object.hasOwn(value as object, step)) return false;
    value = (value as { [key: string]: unknown })[step];
  }
  return true;
}
