import {
  type DefinedIn,
  type DefinitionScope,
  isRecord,
  type ServerDefinition,
  type SourceLocation,
} from "@jackfield/mcp-core";
import type { SourceEntry } from "../entry/entry.ts";
import { quote } from "../entry/server-name.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import { kindOf } from "../read/json-value.ts";
import {
  type ConfigDiagnostic,
  type ConfigProblem,
  describeLocation,
  diagnose,
  invalidSource,
} from "./diagnostics.ts";
import type { Admission, AdmitServer } from "./server-admission.ts";
import type { ServerBlock } from "./server-filters.ts";

/** A server that was found and is not used. */
export interface BlockedServer extends ServerBlock {
  /** As written; its values may be secret. */
  readonly definition: ServerDefinition;
}

/** A usable server behind a stronger entry of its name. */
export interface ShadowedDefinition {
  readonly definition: ServerDefinition;
  /** The place of the stronger entry. */
  readonly by: DefinedIn;
}

/** What was found, each name once. A name occurs at most once in `servers` and `problems` together. */
export interface MergedServers {
  readonly servers: readonly ServerDefinition[];
  /** The servers as their files have them, by name. */
  readonly written: ReadonlyMap<string, WrittenServer>;
  readonly shadowed: readonly ShadowedDefinition[];
  readonly blocked: readonly BlockedServer[];
  readonly problems: readonly ConfigProblem[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/** From the strongest to the weakest. */
const SCOPES: readonly DefinitionScope[] = ["explicit", "managed", "local", "project", "user", "extension"];

/** Reads the `order` option, which may come from untyped code. Faulty elements are problems, and the others count. */
export function readScopeOrder(order: unknown): {
  readonly scopes: readonly DefinitionScope[];
  readonly problems: readonly ConfigProblem[];
} {
  const problems: ConfigProblem[] = [];
  const definedIn: DefinedIn = { scope: "explicit", pointer: "/order" };
  const refuse = (text: string) =>
    problems.push({ definedIn, error: invalidSource(definedIn, text), kind: "ConfigShapeError" });
  if (order === undefined || order === null) return { scopes: SCOPES, problems };
  if (!Array.isArray(order)) {
    refuse(`it must be a list of scopes, not ${kindOf(order)}.`);
    return { scopes: SCOPES, problems };
  }
  const isScope = (scope: unknown): scope is DefinitionScope => SCOPES.some((known) => known === scope);
  for (const scope of order as readonly unknown[]) {
    if (isScope(scope)) continue;
    const named = typeof scope === "string" ? quote(scope) : kindOf(scope);
    refuse(`${named} is not a scope; use one of ${SCOPES.map(quote).join(", ")}.`);
  }
  return { scopes: order.filter(isScope), problems };
}

/**
 * Merges entries once, by name: the strongest that is admitted owns its name as a whole, even if it is switched off or invalid, because
 * falling back to another server of that name would reach something that nobody asked for. An entry of a project that is not admitted, or
 * is invalid, owns nothing: a clone could otherwise take a name from the user's own server.
 *
 * @param sources - the strongest first; within one, entries of one scope the strongest first
 * @param scopes - the strongest first; a missing one comes last
 */
export async function mergeSources(
  sources: readonly (readonly SourceEntry[])[],
  scopes: readonly DefinitionScope[],
  {
    admit,
    project = true,
    locate = async (place) => place,
  }: {
    readonly admit?: AdmitServer | undefined;
    /** `false` ignores entries of projects. */
    readonly project?: boolean | undefined;
    /** Finds the lines for remarks. Default: they have none. */
    readonly locate?: ((place: DefinedIn) => Promise<SourceLocation>) | undefined;
  },
): Promise<MergedServers> {
  const found = byScope(sources.flat(), scopes);
  const owners = new Map<string | SourceEntry, Candidate & { readonly shadowed: SourceEntry[] }>();
  const held: Candidate[] = [];
  for (const entry of found) {
    const isIgnored = !project && entry.definedIn.scope === "project" && "definition" in entry.outcome;
    const candidate = isIgnored ? { entry, block: WITHOUT_PROJECTS } : await askAbout(entry, admit);
    if (!ownsName(candidate)) {
      held.push(candidate);
      continue;
    }
    // Entries without a name do not shadow each other.
    const key = entry.name === "" ? entry : entry.name;
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, { ...candidate, shadowed: [] });
    else if (!isSamePlace(owner.entry.definedIn, entry.definedIn)) owner.shadowed.push(candidate.entry);
  }
  return described([...owners.values()], held, locate);
}

const WITHOUT_PROJECTS: ServerBlock = { by: "project", reason: "servers from projects are switched off" };

/** An entry, with what keeps it from being used. */
interface Candidate {
  readonly entry: SourceEntry;
  readonly block?: ServerBlock | undefined;
  /** Whether a blocked entry keeps weaker ones of its name from being used. */
  readonly ownsName?: boolean | undefined;
}

function byScope(
  entries: readonly SourceEntry[],
  scopes: readonly DefinitionScope[],
): readonly SourceEntry[] {
  const ranked = Map.groupBy(entries, ({ definedIn }) => scopes.indexOf(definedIn.scope));
  return [...scopes.keys(), -1].flatMap((rank) => ranked.get(rank) ?? []);
}

async function askAbout(entry: SourceEntry, admit: AdmitServer | undefined): Promise<Candidate> {
  const { outcome } = entry;
  if (admit === undefined || !("definition" in outcome)) return { entry };
  const { definition } = outcome;
  const admission = await answerOf(admit, definition);
  if (admission.block !== undefined) return { entry, ...admission };
  if (admission.definition === definition) return { entry };
  return { entry: { ...entry, outcome: { ...outcome, definition: admission.definition } } };
}

/** The caller's own fault must neither let a server in nor keep the others out. */
async function answerOf(admit: AdmitServer, definition: ServerDefinition): Promise<Admission> {
  try {
    const {
      block,
      ownsName,
      definition: admitted,
    } = (await admit(definition)) as Partial<{
      readonly block: ServerBlock;
      readonly ownsName: unknown;
      readonly definition: ServerDefinition;
    }>;
    if (block === undefined && isRecord(admitted)) return { definition: admitted };
    if (isRecord(block) && typeof block.by === "string") return { block, ownsName: ownsName === true };
  } catch {
    // As if there had been no answer.
  }
  return { block: UNDECIDED, ownsName: definition.definedIn.scope !== "project" };
}

const UNDECIDED: ServerBlock = {
  by: "admit",
  reason: `"admit" threw, or gave no answer, so the server is not used`,
};

function ownsName({ entry, block, ownsName: isOwner }: Candidate): boolean {
  if ("error" in entry.outcome) return entry.definedIn.scope !== "project";
  return block === undefined || isOwner === true;
}

async function described(
  owners: readonly (Candidate & { readonly shadowed: readonly SourceEntry[] })[],
  held: readonly Candidate[],
  locate: (place: DefinedIn) => Promise<SourceLocation>,
): Promise<MergedServers> {
  const servers: ServerDefinition[] = [];
  const written = new Map<string, WrittenServer>();
  const blocked: BlockedServer[] = [];
  const shadowed: ShadowedDefinition[] = [];
  const problems: ConfigProblem[] = [];
  const diagnostics: ConfigDiagnostic[] = [];
  for (const { entry, block, shadowed: weaker } of owners) {
    const { name, definedIn, outcome } = entry;
    if ("error" in outcome)
      problems.push({ server: name, definedIn, error: outcome.error, kind: "ServerConfigError" });
    else if (block) blocked.push({ definition: outcome.definition, ...block });
    else {
      const shadows = weaker.map((other) => ({ name, definedIn: other.definedIn }));
      servers.push(shadows.length > 0 ? { ...outcome.definition, shadows } : outcome.definition);
      if (outcome.written) written.set(name, outcome.written);
    }
    for (const other of weaker) {
      if ("definition" in other.outcome)
        shadowed.push({ definition: other.outcome.definition, by: definedIn });
      if (isSameServer(entry, other)) continue;
      const [place, owner] = await Promise.all([other.definedIn, definedIn].map(locate));
      diagnostics.push(shadowRemark(name, place ?? other.definedIn, owner ?? definedIn));
    }
  }
  const used = [...servers, ...problems, ...blocked.map(({ definition }) => definition)];
  const taken = new Set([...servers.map(({ name }) => name), ...problems.map(({ server }) => server)]);
  for (const { entry, block } of withoutTwins(held, used)) {
    const { name, definedIn, outcome } = entry;
    if ("definition" in outcome) {
      if (block) blocked.push({ definition: outcome.definition, ...block });
      continue;
    }
    // If another entry owns the name, the problem is one of the file, not of that server.
    const server = taken.has(name) ? {} : { server: name };
    problems.push({ ...server, definedIn, error: outcome.error, kind: "ServerConfigError" });
  }
  return { servers, written, shadowed, blocked, problems, diagnostics };
}

/** Whether two entries of one name, which two hosts may have, start the same command or reach the same URL. */
function isSameServer({ outcome: a }: SourceEntry, { outcome: b }: SourceEntry): boolean {
  if (!("definition" in a && "definition" in b)) return false;
  return targetOf(a.definition) === targetOf(b.definition);
}

function targetOf(definition: ServerDefinition): string {
  if (definition.transport === "in-process") return "";
  if (definition.transport !== "stdio") return definition.url;
  return JSON.stringify([definition.command, ...(definition.args ?? [])]);
}

function shadowRemark(name: string, place: SourceLocation, owner: SourceLocation): ConfigDiagnostic {
  const message = `Server ${quote(name)} (${describeLocation(place)}) is shadowed by another server of that name in ${describeLocation(owner)}.`;
  return diagnose("shadowed", message, place, { server: name });
}

/** Drops repetitions of entries in files that several hosts read. An entry is also dropped if another reading of it is used. */
function withoutTwins(
  held: readonly Candidate[],
  used: readonly { readonly definedIn: DefinedIn }[],
): readonly Candidate[] {
  const keyOf = ({ realFile, file, pointer }: DefinedIn) => JSON.stringify([realFile ?? file, pointer]);
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

/** Whether two hosts have read the same entry of the same file. */
function isSamePlace(a: DefinedIn, b: DefinedIn): boolean {
  const isSameFile = a.file !== undefined && (a.realFile ?? a.file) === (b.realFile ?? b.file);
  return isSameFile && a.pointer === b.pointer && a.host !== b.host;
}
