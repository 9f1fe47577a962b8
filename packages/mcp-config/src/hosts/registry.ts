import { isRecord, type ServerDefinition } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { type JsonMap, kindOf } from "../documents/json-value.ts";
import { entryDialect, type RemarkOnEntry } from "../entries/entry-dialect.ts";
import { GAP } from "../entries/entry-examples.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { quote } from "../server-name.ts";
import { bareName } from "../variable-syntax.ts";
import type { VariableSource } from "../variables.ts";
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
import { packageFault, packageIdentity, packageLaunch, packageTrouble } from "./registry-package.ts";

const LISTS_OF_PACKAGES = ["runtimeArguments", "packageArguments", "environmentVariables"];
const LISTS = [...LISTS_OF_PACKAGES, "headers"];

/** The field of `extra` with the variables that the user is asked for. */
const ASKED = "requires";

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
  entry: entryDialect({
    examples: [{ registryType: "npm", identifier: GAP, version: GAP }],
    transport: {
      field: "type",
      types: { stdio: "stdio", "streamable-http": "http", http: "http", sse: "sse" },
      untypedUrl: "http",
    },
    fields: { command: "command", args: "args", env: "env", url: "url", headers: "headers" },
    switches: "none",
    extraFields: ["transport", "identifier", "variables", "version", "name"],
    reshape,
    writtenAt,
    requires: requirements,
    readExpansionData: (option) => {
      const { variables } = requirements(option) ?? {};
      return variables ? { [ASKED]: variables } : undefined;
    },
    findFault: (option) => (isPackage(option) ? packageFault(option) : remoteFault(option)),
    notRunnable: (option) => (isPackage(option) ? packageTrouble(option) : undefined),
  }),
  variables: { syntaxes: [bareName], whenUnset: "fail", ownEnv: "remote", refersTo },
};

/** Braces may be in any text, as in JSON: only variables that the file declares without a value are references. */
function refersTo({ name }: VariableSource, { extra }: ServerDefinition): boolean {
  const asked = extra?.[ASKED];
  return Array.isArray(asked) && asked.includes(name);
}

function requirements(option: JsonMap): WrittenServer["requires"] {
  return withoutEmpty(isPackage(option) ? packageLaunch(option).missing : remoteAddress(option).missing);
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

function reshape(option: JsonMap, remark: RemarkOnEntry): JsonMap {
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
  return isPackage(option) ? packageLaunch(option).entry : remoteAddress(option).entry;
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
function remoteFault(option: JsonMap): { field: string; text: string } | undefined {
  if (Object.hasOwn(option, "url")) return undefined;
  const isRemote = (member(option, "type") ?? member(option, "transportType")) !== undefined;
  const text = isRemote
    ? `it has no "url"; add the server's address.`
    : `it has neither "identifier" (for a package) nor "url" (for a remote server); add the one you mean.`;
  return { field: "", text };
}

function remoteAddress(option: JsonMap): {
  entry: JsonMap;
  missing: NonNullable<WrittenServer["requires"]>;
} {
  const url = textMember(option, "url");
  const address = url === undefined ? undefined : fillVariables(url, option.variables);
  const headers = readNamedInputs(option.headers);
  return {
    entry: {
      type: member(option, "type") ?? member(option, "transportType"),
      url: address?.value ?? option.url,
      headers: headers.value,
    },
    missing: {
      headers: headers.missing,
      variables: [...(address?.variables ?? []), ...headers.variables],
    },
  };
}

function withoutEmpty(missing: NonNullable<WrittenServer["requires"]>): WrittenServer["requires"] {
  const kinds = Object.entries(missing).filter(([, names = []]) => names.length > 0);
  return kinds.length === 0 ? undefined : Object.fromEntries(kinds);
}
