import { isMap, type JsonMap, ownMember } from "../documents/json-value.ts";
import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { braces, dollarName, percentName } from "../variable-syntax.ts";
import {
  type HostDialect,
  type HostDocument,
  type HostSurroundings,
  type ReadLists,
  serversUnder,
} from "./host-dialect.ts";
import { absolute, inDirectory, inHome, joined, systemDirectory, upward } from "./host-paths.ts";

/**
 * Settings with comments in several layers. A URL without a type is Streamable HTTP, as the program connects it; its
 * documentation says SSE. `httpUrl` is the older name and wins.
 */
export const GEMINI: HostDialect = {
  id: "gemini",
  title: "Gemini CLI",
  format: "jsonc",
  files: [
    {
      kind: "system",
      scope: "managed",
      paths: (at) => systemFile(at, "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "settings.json"),
    },
    { kind: "project", scope: "project", paths: upward(".gemini/settings.json") },
    { kind: "user", scope: "user", paths: inHome(".gemini/settings.json") },
    {
      kind: "system-defaults",
      scope: "user",
      paths: (at) => systemFile(at, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "system-defaults.json"),
    },
    {
      kind: "extension",
      scope: "extension",
      paths: (at) => [
        { file: joined(at, at.home, ".gemini/extensions/*/gemini-extension.json"), isPattern: true },
      ],
    },
    {
      kind: "enablement",
      scope: "user",
      servers: "none",
      paths: inHome(".gemini/mcp-server-enablement.json"),
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      url: ["httpUrl", "url"],
      timeoutMs: ["timeout"],
      include: "includeTools",
      exclude: "excludeTools",
      trust: "trust",
      description: "description",
    },
    oauth: { object: "oauth" },
    outdated: { httpUrl: "deprecated-field" },
    kept: ["tcp", "authProviderType", "targetAudience", "targetServiceAccount"],
  }),
  variables: {
    syntaxes: [
      braces({ places: ["extensionPath", "workspacePath", "/", "pathSeparator"] }),
      dollarName(),
      percentName,
    ],
    unset: "literal",
    ownEnv: "remote",
  },
  lists: readLists,
};

function systemFile(at: HostSurroundings, variable: string, file: string) {
  const named = absolute(at, variable);
  if (named !== undefined) return [{ file: named }];
  const directory = systemDirectory(at, {
    darwin: "/Library/Application Support/GeminiCli",
    win32: "%ProgramData%\\gemini-cli",
    other: "/etc/gemini-cli",
  });
  return inDirectory(at, directory, file);
}

/** Names that may be used and names that may not; the second list wins. */
function readLists(documents: readonly HostDocument[]): ReturnType<ReadLists> {
  const settings = documents.filter(({ kind }) => kind !== "extension");
  const allowed = settings
    .map(({ content }) => namesIn(content, "allowed"))
    .find((names) => names !== undefined);
  const excluded = settings.flatMap(({ content }) => namesIn(content, "excluded") ?? []);
  const isOff = settings.some(({ content }) => adminSwitch(content) === false);
  const switches = documents.filter(({ kind }) => kind === "enablement").map(({ content }) => content);
  return ({ name }) => {
    if (isOff) return { disabledBy: "admin.mcp.enabled" };
    if (excluded.includes(name)) return { disabledBy: "mcp.excluded" };
    if (allowed && !allowed.includes(name)) return { disabledBy: "mcp.allowed" };
    const isSwitchedOff = switches.some((content) => {
      const state = ownMember(content, name);
      return isMap(state) && state.enabled === false;
    });
    return isSwitchedOff ? { disabledBy: "mcp-server-enablement.json" } : undefined;
  };
}

function namesIn({ mcp }: JsonMap, list: "allowed" | "excluded"): readonly unknown[] | undefined {
  const names = isMap(mcp) ? mcp[list] : undefined;
  return Array.isArray(names) ? names : undefined;
}

function adminSwitch({ admin }: JsonMap): unknown {
  return isMap(admin) && isMap(admin.mcp) ? admin.mcp.enabled : undefined;
}
