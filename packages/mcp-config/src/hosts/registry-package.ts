import { isMap, type JsonMap } from "../documents/json-value.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { member, readArguments, readNamedInputs, textMember } from "./registry-inputs.ts";

interface PackageFacts {
  readonly identifier: string;
  readonly version: string | undefined;
  /** Arguments for the program that starts packages. */
  readonly before: readonly string[];
  /** Arguments for the server. */
  readonly after: readonly string[];
  /** Names of the variables it is given. */
  readonly variables: readonly string[];
}

/** How packages of each kind are started: by which program, unless the file names one, and with which arguments. */
const LAUNCHERS: {
  readonly [registry: string]: {
    readonly command: string;
    args(facts: PackageFacts, command: string): readonly string[];
  };
} = {
  npm: {
    command: "npx",
    args: ({ before, after, ...facts }, command) => [
      // Without it, npx waits for an answer at the first start.
      ...(command !== "npx" || before.includes("-y") || before.includes("--yes")
        ? before
        : ["-y", ...before]),
      versioned(facts, "@"),
      ...after,
    ],
  },
  pypi: {
    command: "uvx",
    args: ({ before, after, ...facts }) => [...before, versioned(facts, "@"), ...after],
  },
  oci: {
    command: "docker",
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
    args: ({ before, after, ...facts }) => [
      ...before,
      versioned(facts, "@"),
      "--yes",
      ...(after.length > 0 ? ["--", ...after] : []),
    ],
  },
};

/** What a package is told by: the registry, its name there and its version. */
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
    return `packages of ${registry || "no registry"} cannot be started`;
  const { transport } = option;
  const type = isMap(transport) ? textMember(transport, "type") : undefined;
  return type === undefined || type === "stdio"
    ? undefined
    : `it is a program that speaks ${type} to whoever started it by other means`;
}

/** Why a package is refused: the program that starts it would take such a name for an option of its own. */
export function packageFault(option: JsonMap): { field: string; text: string } | undefined {
  const identifier = identifierOf(option);
  if (identifier === undefined) return { field: "", text: `it has no "identifier"; add the package's name.` };
  const isOption = identifier.startsWith("-");
  return isOption ? { field: "identifier", text: `"identifier" must not begin with a hyphen.` } : undefined;
}

/** The entry of a child process that runs the package, and what is still missing. */
export function packageLaunch(option: JsonMap): {
  entry: JsonMap;
  missing: NonNullable<WrittenServer["requires"]>;
} {
  const launcher = LAUNCHERS[registryOf(option)];
  const before = readArguments(member(option, "runtimeArguments"));
  const after = readArguments(member(option, "packageArguments"));
  const env = readNamedInputs(member(option, "environmentVariables"));
  const command = textMember(option, "runtimeHint") ?? launcher?.command;
  const facts: PackageFacts = {
    identifier: identifierOf(option) ?? "",
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
  };
}

function registryOf(option: JsonMap): string {
  return textMember(option, "registryType") ?? textMember(option, "registryName") ?? "";
}

function identifierOf(option: JsonMap): string | undefined {
  return textMember(option, "identifier") ?? textMember(option, "name");
}

/** An image may have its version, or a digest, in its name already. */
function versioned(
  { identifier, version }: Pick<PackageFacts, "identifier" | "version">,
  separator: string,
): string {
  const isTagged = separator === ":" && /[:@][^/]*$/.test(identifier);
  return version === undefined || isTagged ? identifier : `${identifier}${separator}${version}`;
}
