import { diagnose, type Report } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import { REFERRING_SETTINGS } from "../entries/oauth-fields.ts";
import { textsOf, type WrittenText } from "../entries/written-texts.ts";
import { variablesOf } from "../hosts/host-dialects.ts";
import { describeSources } from "../missing-variables.ts";
import type { Environment } from "../safe-environment.ts";
import { quote } from "../server-name.ts";
import { locationOf } from "../sources/config-problem.ts";
import type { SourceEntry } from "../sources/server-source.ts";
import { ownValue, type ReferringDefinition, seesOwnEnv } from "../variable-lookup.ts";
import { createVariableValues, type FieldKind } from "../variable-values.ts";
import { dialectFor, references, sourcesOf } from "../variables.ts";
import type { ParsedServer } from "./parse-host-file.ts";

/** What variables depend on besides the entry. */
interface VariableContext {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The folder in which the host runs. */
  readonly cwd: string;
}

/**
 * Remarks on references to variables that the resolver would not find. The content of an `envFile` is not known here, so references
 * that it may fill in are left out.
 *
 * @param entries - the entries from which the servers were made
 */
export function reportUnresolved(
  servers: readonly ParsedServer[],
  entries: readonly SourceEntry[],
  context: VariableContext,
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

function unresolvedIn(server: ParsedServer, { env, platform, cwd }: VariableContext) {
  const { definition } = server;
  if (definition.transport === "in-process") return [];
  const dialect = dialectFor(variablesOf(definition.definedIn.host), definition);
  const values = createVariableValues(
    definition,
    { platform, environment: env, projectVariables: Object.keys(env), inputs: {}, cwd },
    { dialect, files: new Map(), commandOutputs: new Map() },
    () => ({ env: definition.env ?? {}, envFileVariables: {} }),
  );
  const isKnown = (name: string) =>
    ownValue(env, name) !== undefined || ownValue(definition.env ?? {}, name) !== undefined;
  const mayBeInFile = (fieldKind: FieldKind) => {
    const seesFile = fieldKind === "env" || (fieldKind === "other" && seesOwnEnv(definition, dialect));
    return definition.envFile !== undefined && seesFile;
  };
  const named = namedVariables(definition).flatMap(({ path, name }) => {
    const found = values.find(name, "other");
    const isMissing = found === undefined || (found !== "withheld" && found.value === "");
    return isMissing && !mayBeInFile("other")
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
      const found = values.lookUp(reference, fieldKind, path);
      // What a project's field may not see is not looked up, and may be unset all the same.
      return found === undefined || ("withheld" in found && !isKnown(found.withheld.name));
    });
    return unresolved.map(({ reference }) => ({ path, variable: describeSources(sourcesOf(reference)) }));
  });
  return [...referred, ...named];
}

/**
 * Variables that an entry names for its headers instead of referring to them. Without a value, the header is not sent; for a bearer
 * token, resolving fails.
 */
function namedVariables(definition: ReferringDefinition): { path: JsonPath; name: string }[] {
  if (definition.transport === "stdio") return [];
  const { headersFromEnv = {}, bearerTokenEnv } = definition;
  const named = Object.entries(headersFromEnv).map(([header, name]) => {
    return { path: ["headersFromEnv", header], name };
  });
  if (bearerTokenEnv === undefined) return named;
  return [...named, { path: ["bearerTokenEnv"], name: bearerTokenEnv }];
}

/** The texts as written, but with the headers that are sent. */
function referringTexts({ written, definition }: ParsedServer): readonly WrittenText[] {
  const headers = "headers" in definition ? definition.headers : undefined;
  const { oauth } = written;
  const settings = REFERRING_SETTINGS.flatMap((setting): WrittenText[] => {
    const text = oauth ? oauth[setting] : undefined;
    return text === undefined ? [] : [{ text, path: ["oauth", setting], isValue: true }];
  });
  return [...textsOf({ ...written, headers }), ...settings];
}

function fieldKindOf([field]: JsonPath): FieldKind {
  if (field === "env") return "env";
  return field === "envFile" ? "envFile" : "other";
}
