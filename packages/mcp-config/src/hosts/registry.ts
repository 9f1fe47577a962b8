import { isRecord, type ServerDefinition } from "@jackfield/mcp-core";
import { GAP, type HostFault, type ReshapeContext } from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import { type JsonMap, type JsonPath, kindOf } from "../read/json-value.ts";
import { bareName } from "../resolve/variable-syntax.ts";
import type { VariableSource } from "../resolve/variables.ts";
import type { FindServers, HostDialect } from "./host-dialect.ts";
import {
  fillVariables,
  member,
  memberName,
  placeOfInput,
  placesOfSecrets,
  readNamedInputs,
  textMember,
} from "./registry-inputs.ts";
import {
  type LaunchNeeds,
  packageFault,
  packageIdentity,
  packageLaunch,
  packageTrouble,
} from "./registry-package.ts";

const LISTS_OF_PACKAGES = ["runtimeArguments", "packageArguments", "environmentVariables"];
const LISTS = [...LISTS_OF_PACKAGES, "headers"];

/** The fields of `extra` with the variables that the user is asked for, and with the parts that are left out without an answer. */
const [ASKED, OPTIONAL] = ["requires", "optional"];

/** Fields that a package has and a remote address lacks. */
const OF_PACKAGES = [
  ...["registryType", "registryName", "identifier", "name", "version", "runtimeHint", "transport"],
  ...LISTS_OF_PACKAGES,
];

/**
 * A `server.json` of the MCP registry (schema 2025-12-11, and older ones with underscores in their names). It describes one server
 * and the ways to reach it: packages to start, and remote addresses. Each is listed with what it requires and the file does not
 * give.
 */
export const REGISTRY: HostDialect = {
  id: "registry",
  title: "MCP registry (server.json)",
  format: "json",
  files: [],
  servers: findOptions,
  entry: {
    examples: [{ registryType: "npm", identifier: GAP, version: GAP }],
    transport: {
      field: "type",
      types: { stdio: "stdio", "streamable-http": "http", streamable: "http", http: "http", sse: "sse" },
      untypedUrl: "http",
    },
    fields: { command: "command", args: "args", env: "env", url: "url", headers: "headers" },
    switches: "none",
    extraFields: ["transport", "identifier", "variables", "version", "name"],
    reshape,
    writtenAt,
    requires: requirements,
    readExpansionData: (option) => {
      const { missing, optional } = launchOf(option);
      const parts = Object.values(optional).flat();
      const names = [...(missing.variables ?? []), ...parts.flatMap(({ variables }) => variables)];
      if (names.length === 0) return undefined;
      return { [ASKED]: [...new Set(names)], ...(parts.length > 0 ? { [OPTIONAL]: optional } : {}) };
    },
    findFault: (option) => (isPackage(option) ? packageFault(option) : remoteFault(option)),
    notRunnable: (option) => (isPackage(option) ? packageTrouble(option) : undefined),
  },
  variables: { syntaxes: [bareName], whenUnset: "fail", ownEnv: "remote", refersTo, withoutUnanswered },
};

/** Braces may be in any text, as in JSON: only variables that the file declares without a value are references. */
function refersTo({ name }: VariableSource, { extra }: ServerDefinition): boolean {
  const asked = extra?.[ASKED];
  return Array.isArray(asked) && asked.includes(name);
}

function requirements(option: JsonMap): WrittenServer["requires"] {
  return withoutEmpty(launchOf(option).missing);
}

function launchOf(option: JsonMap): LaunchNeeds {
  return isPackage(option) ? packageLaunch(option) : remoteAddress(option);
}

/** Leaves out the optional arguments, headers and variables for which nothing is given. */
function withoutUnanswered<T extends ServerDefinition>(
  definition: T,
  isAnswered: (variable: string) => boolean,
): T {
  const optional = definition.extra?.[OPTIONAL] as LaunchNeeds["optional"] | undefined;
  if (optional === undefined || definition.transport === "in-process") return definition;
  const unanswered = (field: "args" | "env" | "headers") =>
    (optional[field] ?? []).filter(({ variables }) => !variables.some(isAnswered)).map(({ part }) => part);
  const without = (field: "env" | "headers", values: { readonly [name: string]: string } = {}) => {
    const names = unanswered(field).flat();
    return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
  };
  if (definition.transport !== "stdio")
    return { ...definition, headers: without("headers", definition.headers) };
  const { args = [], env } = definition;
  return { ...definition, args: unanswered("args").reduce(withoutRun, args), env: without("env", env) };
}

/** A list without the first run of these words. */
function withoutRun(list: readonly string[], words: readonly string[]): readonly string[] {
  const from = list.findIndex((_word, at) => words.every((word, index) => list[at + index] === word));
  return from === -1 ? list : list.toSpliced(from, words.length);
}

/** Some responses of the registry wrap the document in `server`. The domain before the slash in its name is dropped. */
function findOptions(root: JsonMap): ReturnType<FindServers> {
  const { server } = root;
  const isWrapped = isRecord(server) && !Object.hasOwn(root, "packages") && !Object.hasOwn(root, "remotes");
  const path = isWrapped ? ["server"] : [];
  const name = (textMember(isWrapped ? server : root, "name") ?? "").split("/").at(-1) ?? "";
  return [
    {
      path: [...path, "packages"],
      name,
      optionOf: (option) => packageIdentity(isRecord(option) ? option : {}),
    },
    { path: [...path, "remotes"], name, optionOf: (_option, index) => `remote:${index}` },
  ];
}

function reshape(option: JsonMap, { remark }: ReshapeContext): JsonMap {
  for (const list of LISTS) {
    const value = member(option, list);
    if (Array.isArray(value)) {
      for (const path of placesOfSecrets(value)) {
        const place = [memberName(option, list), ...path];
        const text = `${quote(place.join("."))} holds a credential; leave it out, so that it is asked for.`;
        remark("literal-secret", place, text);
      }
    } else if (value !== undefined) {
      remark("invalid-field", list, `${quote(list)} must be a list, not ${kindOf(value)}. It is left out.`);
    }
  }
  return launchOf(option).entry;
}

/** What has no place of its own, such as the version after a package's name, gets that of the whole option. */
function writtenAt([field, key]: JsonPath, option: JsonMap): JsonPath {
  const inList = (list: string, sought: { name?: unknown; text?: unknown }) => {
    const place = placeOfInput(member(option, list), sought);
    return place && [memberName(option, list), ...place];
  };
  switch (field) {
    case "env":
      return inList("environmentVariables", { name: key }) ?? [];
    case "headers":
      return inList("headers", { name: key }) ?? [];
    case "args": {
      const { args } = packageLaunch(option).entry;
      const text: unknown = Array.isArray(args) && typeof key === "number" ? args[key] : undefined;
      return inList("packageArguments", { text }) ?? inList("runtimeArguments", { text }) ?? [];
    }
    case "command":
      return [memberName(option, "runtimeHint")];
    case "type":
      return [Object.hasOwn(option, "type") ? "type" : memberName(option, "transportType")];
    default:
      return field === undefined ? [] : [field];
  }
}

function isPackage(option: JsonMap): boolean {
  return !Object.hasOwn(option, "url") && OF_PACKAGES.some((field) => member(option, field) !== undefined);
}

/** Why an option that is not a package is refused. One without fields of either kind may have been meant for both. */
function remoteFault(option: JsonMap): HostFault | undefined {
  if (Object.hasOwn(option, "url")) return undefined;
  const isRemote = (member(option, "type") ?? member(option, "transportType")) !== undefined;
  const text = isRemote
    ? `it has no "url"; add the server's address.`
    : `it has neither "identifier" (for a package) nor "url" (for a remote server); add the one you mean.`;
  return { field: "", text };
}

function remoteAddress(option: JsonMap): LaunchNeeds {
  const url = textMember(option, "url");
  const address = url === undefined ? undefined : fillVariables(url, option.variables);
  const headers = readNamedInputs(option.headers);
  return {
    entry: {
      type: member(option, "type") ?? member(option, "transportType"),
      url: address?.value ?? option.url,
      headers: headers.value,
    },
    missing: { headers: headers.missing, variables: [...(address?.variables ?? []), ...headers.variables] },
    optional: { headers: headers.optional },
  };
}

function withoutEmpty(missing: NonNullable<WrittenServer["requires"]>): WrittenServer["requires"] {
  const kinds = Object.entries(missing).filter(([, names = []]) => names.length > 0);
  const once = kinds.map(([kind, names]) => [kind, [...new Set(names)]]);
  return kinds.length === 0 ? undefined : Object.fromEntries(once);
}
