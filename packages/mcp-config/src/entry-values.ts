import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { describeLocation, locationOf } from "./config-problem.ts";
import { looksLikeCredential, secretsOfUrls } from "./credentials.ts";
import { fieldName, type JsonPath } from "./json-path.ts";
import { createMap, ownMember } from "./json-value.ts";
import { type Environment, layEnvironment } from "./safe-environment.ts";
import { quote } from "./server-name.ts";
import { expandVariables, type VariableReference } from "./variables.ts";

/**
 * What becomes of a reference whose variable is unset and which has no default: the server `fail`s, or the reference is
 * replaced by nothing (`empty`), or it stays as written (`literal`).
 */
export type MissingVariable = "fail" | "empty" | "literal";

export interface VariablePolicy {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  readonly missingVariable: MissingVariable;
  /** What an entry of scope `project` may read of the environment (threat T13). */
  readonly projectVariables: readonly string[];
}

/** The values of one entry while they are being filled in. */
export interface EntryValues {
  /** The entry's own `env`, filled in, with what its `envFile` holds beneath it. */
  readonly env: { readonly [name: string]: string };
  /** What has turned out to be secret so far. */
  readonly secrets: Set<string>;
  /** Fills in one text; the path says where it stands. */
  expand(text: string, path: JsonPath): string;
  /** The same for every value of a map. */
  expandAll(texts: TextMap | undefined, path: JsonPath): { [name: string]: string };
  /**
   * To be called when all is filled in.
   *
   * @throws McpError `MCP_CONFIG_VARIABLE_MISSING` with all that was missing, unless the policy puts up with it.
   */
  checkComplete(): void;
}

type TextMap = { readonly [name: string]: string };
type LookupVariable = (name: string) => string | undefined;

interface UnsetReference {
  readonly variable: string;
  /** The field it stands in, for example `headers.Authorization`. */
  readonly field: string;
}

type ReferringDefinition = Exclude<ServerDefinition, { transport: "in-process" }>;

/**
 * Fills in the path of the entry's `envFile` from the environment, and its own `env` from that file and the environment;
 * everything else then sees that `env` first.
 */
export async function createEntryValues(
  definition: ReferringDefinition,
  policy: VariablePolicy,
  readEnvFile: (path: string) => Promise<TextMap>,
): Promise<EntryValues> {
  const { secrets, expand, checkComplete } = createExpansion(definition, policy);
  const ambient = ambientLookup(definition, policy);
  const envFile = expand(definition.envFile ?? "", ["envFile"], ambient);
  checkComplete();
  const lower = envFile === "" ? {} : await readEnvFile(envFile);
  const beneath: LookupVariable = (name) => ownMember(lower, name) ?? ambient(name);
  const upper = mapTexts(definition.env, (text, name) => expand(text, ["env", name], beneath));
  const env = layEnvironment(upper, lower, policy.platform);
  for (const [name, value] of Object.entries(env)) {
    if (looksLikeCredential(name)) secrets.add(value);
    for (const secret of secretsOfUrls(value)) secrets.add(secret);
  }
  const scoped: LookupVariable = (name) => ownMember(env, name) ?? ambient(name);
  return {
    env,
    secrets,
    expand: (text, path) => expand(text, path, scoped),
    expandAll: (texts, path) => mapTexts(texts, (text, name) => expand(text, [...path, name], scoped)),
    checkComplete,
  };
}

/** Fills in references, and remembers what was secret and what was missing. */
function createExpansion(definition: ReferringDefinition, policy: VariablePolicy) {
  const unset: UnsetReference[] = [];
  const secrets = new Set<string>();

  function fill({ name, defaultText, written }: VariableReference, path: JsonPath, lookup: LookupVariable) {
    const value = lookup(name) ?? defaultText;
    if (value !== undefined) {
      if (looksLikeCredential(name)) secrets.add(value);
      return value;
    }
    unset.push({ variable: name, field: fieldName(path) });
    return policy.missingVariable === "literal" ? written : "";
  }

  return {
    secrets,
    expand(text: string, path: JsonPath, lookup: LookupVariable): string {
      const expanded = expandVariables(text, (reference) => fill(reference, path, lookup));
      for (const secret of secretsOfUrls(expanded)) secrets.add(secret);
      return expanded;
    },
    checkComplete(): void {
      if (policy.missingVariable !== "fail" || unset.length === 0) return;
      const isWithheld = unset.some(({ variable }) => ownMember(policy.environment, variable) !== undefined);
      throw missingVariables(definition, unset, isWithheld);
    },
  };
}

function ambientLookup({ definedIn }: ServerDefinition, policy: VariablePolicy): LookupVariable {
  const isReadable = (name: string) =>
    definedIn.scope !== "project" || policy.projectVariables.includes(name);
  return (name) => (isReadable(name) ? ownMember(policy.environment, name) : undefined);
}

function mapTexts(texts: TextMap = {}, change: (text: string, name: string) => string) {
  const changed = createMap<string>();
  for (const name of Object.keys(texts)) changed[name] = change(texts[name] ?? "", name);
  return changed;
}

function missingVariables(
  { name, definedIn }: ServerDefinition,
  unset: readonly UnsetReference[],
  isWithheld: boolean,
): McpError {
  const list = unset.map(({ variable, field }) => `${quote(variable)} in ${quote(field)}`).join(", ");
  const nextStep = isWithheld
    ? "A project's entry sees its own env only: list the name in projectVariables if it may be read, or write a default"
    : "Set it, or write a default";
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}) refers to a variable that is not set: ${list}. ${nextStep} as in \${${unset[0]?.variable}:-default}.`;
  return new McpError("MCP_CONFIG_VARIABLE_MISSING", message, {
    server: name,
    phase: "resolve",
    location: locationOf(definedIn),
  });
}
