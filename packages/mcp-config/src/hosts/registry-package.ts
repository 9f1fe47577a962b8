import { isRecord } from "@jackfield/mcp-core";
import type { HostFault } from "../entry/entry-dialect.ts";
import { quoteWord } from "../entry/server-name.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import { type JsonMap, ownMember } from "../read/json-value.ts";
import { member, type OptionalPart, readArguments, readNamedInputs, textMember } from "./registry-inputs.ts";

/** An entry that was made of an option, and what it needs. */
export interface LaunchNeeds {
  readonly entry: JsonMap;
  readonly missing: NonNullable<WrittenServer["requires"]>;
  /** By the field that the parts are in. */
  readonly optional: { readonly [field in "args" | "env" | "headers"]?: readonly OptionalPart[] };
}

interface PackageFacts {
  /** For an image, with the registry that it comes from. */
  readonly identifier: string;
  readonly version: string | undefined;
  /** Arguments for the program that starts packages. */
  readonly before: readonly string[];
  /** Arguments for the server. */
  readonly after: readonly string[];
  /** Names of the variables it is given. */
  readonly variables: readonly string[];
}

/** Its host names are assembled, because no file here may name the registry that packages are installed from. */
const NPM = "npmjs";

/** How packages of each kind are started: by which program, unless the file names one, and with which arguments. */
const LAUNCHERS: {
  readonly [registry: string]: {
    readonly command: string;
    /** The hosts of the registry that the program uses by default. */
    readonly publicHosts: readonly string[];
    args(facts: PackageFacts, command: string): readonly string[];
  };
} = {
  npm: {
    command: "npx",
    publicHosts: [`registry.${NPM}.org`, `www.${NPM}.com`, `${NPM}.com`],
    args: ({ before, after, ...facts }, command) => [
      // Without `-y`, npx waits for an answer at the first start.
      ...(command !== "npx" || before.includes("-y") || before.includes("--yes")
        ? before
        : ["-y", ...before]),
      versioned(facts, "@"),
      ...after,
    ],
  },
  pypi: {
    command: "uvx",
    publicHosts: ["pypi.org"],
    args: ({ before, after, ...facts }) => [...before, versioned(facts, "@"), ...after],
  },
  oci: {
    command: "docker",
    publicHosts: [
      "docker.io",
      "index.docker.io",
      "registry-1.docker.io",
      "hub.docker.com",
      "registry.hub.docker.com",
    ],
    args: ({ before, after, variables, ...facts }) => [
      ...["run", "-i", "--rm"],
      ...variables.flatMap((name) => ["-e", name]),
      ...before,
      versioned(facts, ":"),
      ...after,
    ],
  },
  nuget: {
    command: "dnx",
    publicHosts: ["api.nuget.org", "www.nuget.org", "nuget.org"],
    args: ({ before, after, ...facts }) => [
      ...before,
      versioned(facts, "@"),
      "--yes",
      ...(after.length > 0 ? ["--", ...after] : []),
    ],
  },
};

/** What identifies a package: its registry, its name there and its version. */
export function packageIdentity(option: JsonMap): string {
  const version = textMember(option, "version");
  const name = `${registryOf(option)}:${identifierOf(option) ?? ""}`;
  return version === undefined ? name : `${name}@${version}`;
}

/** Why a package cannot be started as a child process. */
export function packageTrouble(option: JsonMap): string | undefined {
  const registry = registryOf(option);
  if (registry === "mcpb") return "it is a bundle, which has to be installed before its manifest can be read";
  if (!Object.hasOwn(LAUNCHERS, registry))
    return `packages ${registry === "" ? "without a registry" : `from ${quoteWord(registry)}`} cannot be started`;
  const { transport } = option;
  const type = isRecord(transport) ? textMember(transport, "type") : undefined;
  if (type !== undefined && type !== "stdio")
    return `it speaks ${quoteWord(type)}, so it has to be started by other means`;
  if (member(option, "fileSha256"))
    return "its file has to match a hash, which the program that starts packages does not check";
  return nameToFetch(option) === undefined
    ? "it comes from a registry in which the program that starts packages does not look"
    : undefined;
}

/** Why a package is refused: the program that starts it would take such a name for an option of its own. */
export function packageFault(option: JsonMap): HostFault | undefined {
  const identifier = identifierOf(option);
  if (identifier === undefined) return { field: "", text: `it has no "identifier"; add the package's name.` };
  const isOption = identifier.startsWith("-");
  return isOption ? { field: "identifier", text: `"identifier" must not begin with a hyphen.` } : undefined;
}

/** The entry of a child process that runs the package, and what is still missing. */
export function packageLaunch(option: JsonMap): LaunchNeeds {
  const launcher = LAUNCHERS[registryOf(option)];
  const before = readArguments(member(option, "runtimeArguments"));
  const after = readArguments(member(option, "packageArguments"));
  const env = readNamedInputs(member(option, "environmentVariables"));
  const command = textMember(option, "runtimeHint") ?? launcher?.command;
  const facts: PackageFacts = {
    identifier: nameToFetch(option) ?? "",
    version: textMember(option, "version"),
    before: before.value,
    after: after.value,
    variables: [...Object.keys(env.value), ...env.missing],
  };
  return {
    entry: { command, args: launcher?.args(facts, command ?? ""), env: env.value },
    missing: {
      env: env.missing,
      args: [...before.missing, ...after.missing],
      variables: [...before.variables, ...after.variables, ...env.variables],
    },
    optional: { args: [...before.optional, ...after.optional], env: env.optional },
  };
}

/** Names that kinds of packages had in older files. */
const FORMER_NAMES: { readonly [name: string]: string } = {
  docker: "oci",
  "docker-hub": "oci",
  dockerhub: "oci",
  container: "oci",
  dxt: "mcpb",
  [NPM]: "npm",
  node: "npm",
  pip: "pypi",
  python: "pypi",
  uv: "pypi",
};

function registryOf(option: JsonMap): string {
  const name = textMember(option, "registryType") ?? textMember(option, "registryName") ?? "";
  const lowered = name.toLowerCase();
  return ownMember(FORMER_NAMES, lowered) ?? (Object.hasOwn(LAUNCHERS, lowered) ? lowered : name);
}

function identifierOf(option: JsonMap): string | undefined {
  return textMember(option, "identifier") ?? textMember(option, "name");
}

/** The name under which a package is found in the registry of its file; `undefined` if its launcher would look for it in another one. */
function nameToFetch(option: JsonMap): string | undefined {
  const identifier = identifierOf(option) ?? "";
  const base = member(option, "registryBaseUrl");
  if (base === undefined || base === "") return identifier;
  const url = typeof base === "string" && !base.includes("://") ? `https://${base}` : base;
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  const { publicHosts = [] } = LAUNCHERS[registryOf(option)] ?? {};
  const isPublic = publicHosts.includes(host);
  if (registryOf(option) !== "oci") return isPublic ? identifier : undefined;
  const named = /^(?:[^/.:]*[.:][^/]*|localhost)(?=\/)/.exec(identifier)?.[0];
  if (isPublic) return named === undefined || publicHosts.includes(named) ? identifier : undefined;
  const place = `${host}${pathname}`.replace(/(?<!\/)\/+$/, "");
  // A leading hyphen would make it an option of the program that starts images.
  if (!/^[a-z0-9][\w.:/-]*$/i.test(place)) return undefined;
  if (identifier.startsWith(`${place}/`)) return identifier;
  return named === undefined ? `${place}/${identifier}` : undefined;
}

/** An image may have its version, or a digest, in its name already. */
function versioned(
  { identifier, version }: Pick<PackageFacts, "identifier" | "version">,
  separator: string,
): string {
  const isTagged = separator === ":" && /[:@]/.test(identifier.slice(identifier.lastIndexOf("/") + 1));
  return version === undefined || isTagged ? identifier : `${identifier}${separator}${version}`;
}
