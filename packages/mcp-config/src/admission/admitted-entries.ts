import { type DefinedIn, isRecord, type ServerDefinition } from "@jackfield/mcp-core";
import type { ServerBlock } from "../filters/server-filters.ts";
import type { ConfigProblem } from "../sources/config-problem.ts";
import { isSamePlace, type MergedServers } from "../sources/merged-servers.ts";
import type { SourceEntry } from "../sources/server-source.ts";
import type { Admission, AdmitServer } from "./server-admission.ts";

/** A server that was found and is not used. */
export interface BlockedServer extends ServerBlock {
  /** As written; its values may be secret. */
  readonly definition: ServerDefinition;
}

/** Entries after admission, before they are merged. */
export interface AdmittedEntries {
  /** Entries that compete for names. A blocked one that keeps its name is switched off. */
  readonly entries: readonly SourceEntry[];
  /** The blocked ones among these, with the reasons. */
  readonly blocks: ReadonlyMap<SourceEntry, BlockedServer>;
  /** Entries that do not compete for names. */
  readonly held: readonly HeldEntry[];
}

interface HeldEntry {
  readonly entry: SourceEntry;
  /** Missing for an entry that cannot be used anyway. */
  readonly blocked?: BlockedServer | undefined;
}

/**
 * Asks `admit` about each entry that nothing else blocks; without it, every such entry is admitted. An invalid entry of a project is
 * held back: nobody can approve it, and it would keep the user's own server of that name from being used. If an entry that a host
 * joins from a project's part and the user's is held back, the user's part takes its place.
 */
export async function admitEntries(
  entries: readonly SourceEntry[],
  admit: AdmitServer | undefined,
): Promise<AdmittedEntries> {
  const blocks = new Map<SourceEntry, BlockedServer>();
  const held: HeldEntry[] = [];
  const admitted: SourceEntry[] = [];
  for (const entry of entries) {
    const admission = admit || entry.block ? await admissionOf(entry, admit) : undefined;
    const own = admitEntry(entry, admission, blocks, held);
    const { withoutProject: second } = entry;
    const instead = own ?? (second && admitEntry(second, await admissionOf(second, admit), blocks, held));
    if (instead) admitted.push(instead);
  }
  return { entries: admitted, blocks, held };
}

async function admissionOf(
  { outcome, block }: SourceEntry,
  admit: AdmitServer | undefined,
): Promise<Admission | undefined> {
  if (block !== undefined) return { block, ownsName: false };
  if (admit === undefined || !("definition" in outcome)) return undefined;
  const { definition } = outcome;
  try {
    const { block: given, ownsName, definition: admitted } = (await admit(definition)) as Answer;
    if (given === undefined && isRecord(admitted)) return { definition: admitted };
    if (isRecord(given) && typeof given.by === "string") return { block: given, ownsName: ownsName === true };
  } catch {
    // The caller's own fault must neither let a server in nor keep the others out.
  }
  return { block: UNDECIDED, ownsName: definition.definedIn.scope !== "project" };
}

/** An admission, perhaps of untyped code. */
interface Answer {
  readonly block?: ServerBlock | undefined;
  readonly ownsName?: unknown;
  readonly definition?: ServerDefinition | undefined;
}

const UNDECIDED: ServerBlock = {
  by: "admit",
  reason: `"admit" threw, or gave no answer, so the server is not used`,
};

function admitEntry(
  entry: SourceEntry,
  admission: Admission | undefined,
  blocks: Map<SourceEntry, BlockedServer>,
  held: HeldEntry[],
): SourceEntry | undefined {
  const { outcome } = entry;
  if (!("definition" in outcome)) {
    if (entry.definedIn.scope !== "project") return entry;
    held.push({ entry });
    return undefined;
  }
  if (admission === undefined) return entry;
  const { definition } = outcome;
  if (admission.block === undefined) {
    if (admission.definition === definition) return entry;
    return { ...entry, outcome: { ...outcome, definition: admission.definition } };
  }
  const blocked: BlockedServer = { definition, ...admission.block };
  if (!admission.ownsName) {
    held.push({ entry, blocked });
    return undefined;
  }
  // Switched off, it still owns its name, but shadows no entry of another name with the same endpoint.
  const off = { ...entry, outcome: { ...outcome, definition: { ...definition, enabled: false } } };
  blocks.set(off, blocked);
  return off;
}

/** Servers that were found: those that may be used, and those that may not, with the reason. */
export interface SortedServers extends MergedServers {
  readonly blocked: readonly BlockedServer[];
}

/** Moves blocked servers out of the merged ones, and adds the entries that were held back before. */
export function sortOutBlocked(
  merged: MergedServers,
  found: Omit<AdmittedEntries, "entries">,
): SortedServers {
  const areAllAdmitted = found.blocks.size === 0 && found.held.length === 0;
  return areAllAdmitted ? { ...merged, blocked: equivalents(merged) } : withBlocked(merged, found);
}

function withBlocked(
  merged: MergedServers,
  { blocks, held }: Omit<AdmittedEntries, "entries">,
): SortedServers {
  const byPlace = new Map(Array.from(blocks, ([{ definedIn }, blocked]) => [definedIn, blocked]));
  const blockOf = ({ definedIn }: ServerDefinition) => byPlace.get(definedIn);
  const servers = merged.servers.filter((server) => blockOf(server) === undefined);
  const owned = merged.servers.flatMap((server) => blockOf(server) ?? []);
  const first = withoutTwins(held, [...merged.servers, ...merged.problems]);
  const blocked = first.flatMap((entry) => entry.blocked ?? []);
  const isIgnored = ({ by }: BlockedServer) => by === "host";
  const taken = new Set([
    ...merged.servers.map(({ name }) => name),
    ...merged.problems.map(({ server }) => server),
  ]);
  return {
    ...merged,
    servers,
    // What concerns nobody comes last: of several entries of one name, readers look at the first.
    blocked: [
      ...owned,
      ...blocked.filter((server) => !isIgnored(server)),
      ...equivalents(merged),
      ...blocked.filter(isIgnored),
    ],
    problems: [...merged.problems, ...first.flatMap((entry) => problemOf(entry, taken) ?? [])],
  };
}

/** Drops repetitions of entries in files that several hosts read. An entry is also dropped if another reading of it is used. */
function withoutTwins(
  held: readonly HeldEntry[],
  used: readonly { readonly definedIn: DefinedIn }[],
): readonly HeldEntry[] {
  const places = Map.groupBy(
    used.map(({ definedIn }) => definedIn),
    keyOf,
  );
  return held.filter(({ entry: { definedIn } }) => {
    const key = keyOf(definedIn);
    const known = places.get(key) ?? [];
    if (known.some((place) => isSamePlace(place, definedIn))) return false;
    places.set(key, [...known, definedIn]);
    return true;
  });
}

function keyOf({ realFile, file, pointer }: DefinedIn): string {
  return JSON.stringify([realFile ?? file, pointer]);
}

/** If another entry owns the name, the problem is one of the file, not of that server. */
function problemOf({ entry }: HeldEntry, taken: ReadonlySet<string | undefined>): ConfigProblem | undefined {
  const { name, definedIn, outcome } = entry;
  if ("definition" in outcome) return undefined;
  const server = taken.has(name) ? {} : { server: name };
  return { ...server, definedIn, error: outcome.error, kind: "ServerConfigError" };
}

function equivalents({ shadowed }: MergedServers): readonly BlockedServer[] {
  return shadowed
    .filter(({ reason }) => reason === "endpoint")
    .map(({ definition, by }) => ({
      definition,
      by: "equivalent",
      reason: `it reaches the same endpoint as "${by}"`,
    }));
}
