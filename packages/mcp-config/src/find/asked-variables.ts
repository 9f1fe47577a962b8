import type { ServerDefinition } from "@jackfield/mcp-core";
import type { SourceEntry } from "../entry/entry.ts";
import { type FieldText, fieldTexts, loginTexts, namedVariables } from "../entry/field-texts.ts";
import { quote } from "../entry/server-name.ts";
import { variablesOf } from "../hosts/host-dialects.ts";
import { EntryValues, type FieldKind, fieldKindOf, seesOwnEnv } from "../resolve/lookup.ts";
import { describeSources } from "../resolve/missing-variables.ts";
import type { Environment } from "../resolve/safe-environment.ts";
import { dialectFor, references, sourcesOf, type VariableDialect } from "../resolve/variables.ts";
import { diagnose, locationOf, type Report } from "./diagnostics.ts";
import type { ParsedServer } from "./parse-host-file.ts";

/**
 * Remarks on references to variables that the resolver would not find. The content of an `envFile` is not known here, so references
 * that it may fill in are left out.
 *
 * @param entries - the entries from which the servers were made
 * @param context - `cwd` is the folder in which the host runs
 */
export function reportUnresolved(
  servers: readonly ParsedServer[],
  entries: readonly SourceEntry[],
  context: { env: Environment; platform: NodeJS.Platform; cwd: string },
  report: Report,
): void {
  const places = new Map(entries.map(({ definedIn, locate }) => [definedIn, locate]));
  for (const server of servers) {
    const { definedIn } = server.definition;
    const locate = places.get(definedIn) ?? ((path) => ({ path, location: locationOf(definedIn) }));
    for (const { path, variable } of unresolvedIn(server, context)) {
      const { path: written, location } = locate(path);
      const message = `Server ${quote(server.name)}: ${variable} in ${quote(written.join("."))} is not set.`;
      report(diagnose("unresolved-variable", message, location, { server: server.name }));
    }
  }
}

function unresolvedIn(server: ParsedServer, { env, platform, cwd }: Parameters<typeof reportUnresolved>[2]) {
  const { definition } = server;
  if (definition.transport === "in-process") return [];
  const dialect = dialectFor(variablesOf(definition.definedIn.host), definition);
  // What the entry may read is decided by its approval; here it counts what is set.
  const readable = { ...definition, variables: Object.keys(env) };
  const values = new EntryValues(
    readable,
    { platform, environment: env, projectVariables: [], inputs: {}, cwd, missingVariable: "fail" },
    { dialect, files: new Map(), commandOutputs: new Map() },
  );
  values.env = definition.env ?? {};
  const mayBeInFile = (fieldKind: FieldKind) => {
    const seesFile = fieldKind === "env" || (fieldKind === "other" && seesOwnEnv(definition, dialect));
    return definition.envFile !== undefined && seesFile;
  };
  // Names that are handed on need no value. Without one, a header is not sent, and for a bearer token resolving fails.
  const inHeaders = definition.transport === "stdio" ? [] : namedVariables(definition);
  const named = inHeaders.flatMap(({ path, name }) => {
    return !values.find(name, "other") && !mayBeInFile("other")
      ? [{ path, variable: describeSources([{ kind: "environment", name }]) }]
      : [];
  });
  const referred = referringTexts(server).flatMap(({ text, path, isValue }) => {
    const fieldKind = fieldKindOf(path);
    if (mayBeInFile(fieldKind)) return [];
    const unresolved = [...references(text, dialect, isValue)].filter(({ reference }) => {
      const { kind, whenUnset = "fail" } = reference;
      const isElsewhere = reference.platform !== undefined && reference.platform !== platform;
      const mustBeSet = kind === "environment" && whenUnset === "fail" && !isElsewhere;
      if (!mustBeSet) return false;
      return values.valueOf(reference, path) === undefined;
    });
    return unresolved.map(({ reference }) => ({ path, variable: describeSources(sourcesOf(reference)) }));
  });
  return [...referred, ...named];
}

/** The texts as written, but with the headers that are sent. */
function referringTexts({ written, definition }: ParsedServer): readonly FieldText[] {
  const headers = "headers" in definition ? definition.headers : undefined;
  return [...fieldTexts({ ...written, headers }), ...loginTexts(written)];
}

/**
 * The names of variables and inputs that an entry refers to and does not set itself, sorted: what an approval of it gives it. The
 * name alone of a variable, which some hosts fill in, counts only in capitals: it could be any word.
 */
export function askedVariables(
  definition: ServerDefinition,
  dialect: VariableDialect,
  platform: NodeJS.Platform,
): readonly string[] {
  if (definition.transport === "in-process") return [];
  const { env = {} } = definition;
  const asked = new Set<string>();
  const sees = seesOwnEnv(definition, dialect);
  const given = definition.transport === "stdio" ? [] : (dialect.emptyInRemote ?? []);
  for (const { text, path, isValue } of [
    ...fieldTexts(definition),
    ...(definition.transport === "stdio" ? [] : loginTexts(definition)),
  ]) {
    const kind = fieldKindOf(path);
    if (dialect.remoteOnly && kind !== "other") continue;
    for (const { reference } of references(text, dialect, isValue)) {
      const { platform: only = platform, written, name: word } = reference;
      if (only !== platform || (written === word && !/^[A-Z][A-Z0-9_]*$/.test(word))) continue;
      for (const source of sourcesOf(reference)) {
        const isOwn = kind === "other" && sees && Object.hasOwn(env, source.name);
        const isNamed = source.kind === "environment" || source.kind === "input";
        if (!isNamed || isOwn || given.includes(source.name)) continue;
        if (dialect.refersTo?.(source, definition) ?? true) asked.add(source.name);
      }
    }
  }
  for (const { name } of namedVariables(definition)) if (!Object.hasOwn(env, name)) asked.add(name);
  return [...asked].sort();
}
