import { isMap } from "../documents/json-value.ts";
import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { places, prefixedBraces } from "../variable-syntax.ts";
import { type FindServers, type HostDialect, serversUnder } from "./host-dialect.ts";
import { applicationData, inDirectory, joined, upward } from "./host-paths.ts";

const inDevContainer = serversUnder("customizations", "vscode", "mcp", "servers");
const inSettings = serversUnder("mcp", "servers");

/** A file by itself: a development container and the old block in the settings are told by what they hold. */
const anywhere: FindServers = (root, context) => {
  if (Object.hasOwn(root, "servers")) return [{ path: ["servers"] }];
  if (isMap(root.customizations)) return inDevContainer(root, context);
  return isMap(root.mcp) ? inSettings(root, context) : [{ path: ["servers"] }];
};

/** Its key is `servers`; values that a person is asked for are listed in `inputs`, and their definitions stay in the file. */
export const VSCODE: HostDialect = {
  id: "vscode",
  title: "VS Code",
  format: "jsonc",
  files: [
    {
      kind: "workspace",
      scope: "project",
      paths: upward(".vscode/mcp.json"),
      servers: serversUnder("servers"),
    },
    {
      kind: "devcontainer",
      scope: "project",
      paths: upward(".devcontainer/devcontainer.json", ".devcontainer.json"),
      servers: inDevContainer,
    },
    {
      kind: "workspace-settings",
      scope: "project",
      paths: upward(".vscode/settings.json"),
      servers: inSettings,
    },
    {
      kind: "user",
      scope: "user",
      paths: (at) => inDirectory(at, joined(at, applicationData(at), "Code/User"), "mcp.json"),
      servers: serversUnder("servers"),
    },
    {
      kind: "user-settings",
      scope: "user",
      paths: (at) => inDirectory(at, joined(at, applicationData(at), "Code/User"), "settings.json"),
      servers: inSettings,
    },
  ],
  servers: anywhere,
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: { ...COMMON_FIELDS, envFile: "envFile" },
    kept: ["dev", "sandboxEnabled", "sandbox", "gallery", "version"],
    urlSchemes: ["http", "https", "unix", "pipe"],
  }),
  variables: {
    syntaxes: [
      prefixedBraces({ env: "environment", input: "input" }),
      places("userHome", "workspaceFolder", "workspaceFolderBasename", "pathSeparator", "/"),
    ],
    unset: "empty",
    ownEnv: "remote",
  },
};
