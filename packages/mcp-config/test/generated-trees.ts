import fc from "fast-check";

const KEYS = [
  ...[
    "mcpServers",
    "servers",
    "mcp_servers",
    "context_servers",
    "mcp",
    "extensions",
    "amp.mcpServers",
    "projects",
  ],
  ...[
    "command",
    "args",
    "env",
    "environment",
    "cwd",
    "url",
    "httpUrl",
    "serverUrl",
    "headers",
    "type",
    "transport",
  ],
  ...[
    "enabled",
    "disabled",
    "timeout",
    "tools",
    "oauth",
    "auth",
    "inputs",
    "name",
    "cmd",
    "uri",
    "envs",
    "packages",
    "mcp_config",
    "platform_overrides",
    "registryType",
    "identifier",
    "packageArguments",
    "environment_variables",
    "variables",
    "value",
    "default",
    "isRequired",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "",
    "0",
    "length",
    "s",
    "a}b",
    "remotes",
  ],
];

const TEXTS = [
  ...[
    "npx",
    "-y",
    "stdio",
    "http",
    "sse",
    "local",
    "remote",
    "https://host/mcp",
    "file:///x",
    "./x",
    "../../x",
  ],
  ...[
    "${A}",
    "${A:-${B}}",
    "${env:A}",
    "${input:a}",
    "{env:A}",
    "{file:~/x}",
    "$A",
    "%A%",
    "!cmd",
    "$(x)",
    "${A:?}",
    "$env:A",
    "{a}",
    "${{ secrets.A }}",
    "${env:A | value:x}",
    "npm",
    "${",
    "~/x",
  ],
  ...["\0", "\u202e", "\ud800", "true", "30s", "__proto__", "Bearer abc"],
];

/** Keys that mean something somewhere, and any others. */
export const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 1, arbitrary: fc.string() },
);
const leaf = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, 2 ** 40) },
);

export type Members = readonly (readonly [string, Tree])[];

/** Members are pairs, so that a key may occur twice and `__proto__` is written out. */
export type Tree = { readonly members: Members } | readonly Tree[] | string | number | boolean | null;

/** Any value, at most some levels deep. */
export const { tree } = fc.letrec<{ tree: Tree; members: Tree }>((tie) => ({
  members: fc.array(fc.tuple(key, tie("tree")), { maxLength: 5 }).map((members) => ({ members })),
  tree: fc.oneof(
    { maxDepth: 6, depthSize: "small" },
    leaf,
    { weight: 3, arbitrary: tie("members") },
    fc.array(tie("tree"), { maxLength: 4 }),
  ),
}));

export function asJson(value: Tree): string {
  if (Array.isArray(value)) return `[${value.map(asJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${membersOf(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${asJson(member)}`)
    .join(",")}}`;
}

/** Inline tables and quoted keys: JSON is nearly TOML. */
export function asToml(value: Tree): string {
  const inline = (member: Tree) => asJson(member).replaceAll('":', '"=').replaceAll("null", '"null"');
  return membersOf(value)
    .map(([name, member]) => `${JSON.stringify(name)} = ${inline(member)}`)
    .join("\n");
}

/** A tree that is an object. */
export function table(...members: Members): Tree {
  return { members };
}

/** The members of a tree; none if it is no object. */
export function membersOf(value: Tree): Members {
  return typeof value === "object" && value !== null && "members" in value ? value.members : [];
}
