import type { JsonMap } from "../documents/json-value.ts";
import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { braces, commandSubstitution, dollarName, requiredName } from "../variable-syntax.ts";
import { type HostDialect, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { absolute, configHome, inDirectory, joined, upward } from "./host-paths.ts";

const SCRIPT = "it is a shell script, which is never run; Jackfield reads Crush's JSON files only";

/**
 * Its JSON files; times are seconds. Its other form, `crushrc`, is a shell script: it is reported and never run. Values are
 * filled in as by a shell, except that no command is run.
 */
export const CRUSH: HostDialect = {
  id: "crush",
  title: "Crush",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".crush.json", "crush.json") },
    {
      kind: "project-script",
      scope: "project",
      script: SCRIPT,
      paths: upward(".crushrc", "crushrc"),
    },
    { kind: "user", scope: "user", paths: (at) => inDirectory(at, directory(at), "crush.json") },
    {
      kind: "user-script",
      scope: "user",
      script: SCRIPT,
      paths: (at) => inDirectory(at, directory(at), "crushrc"),
    },
    {
      kind: "system",
      scope: "user",
      paths: (at) => (at.platform === "win32" ? [] : [{ file: "/etc/crush/crush.json" }]),
    },
  ],
  servers: serversUnder("mcp"),
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: [{ field: "timeout", unit: "seconds" }],
      include: "enabled_tools",
      exclude: "disabled_tools",
    },
    emptyIncludesAll: true,
    oauth: {
      object: "oauth",
      fields: {
        oauth_client_id: "clientId",
        oauth_client_secret: "clientSecret",
        oauth_callback_port: "callbackPort",
      },
    },
    refused: loneDollar,
    notRunnable: (entry) => {
      const isTokenOnly = Object.keys(entry).every((field) => field === "oauth_token");
      return isTokenOnly ? "it only holds a token for a server that another file defines" : undefined;
    },
  }),
  variables: {
    syntaxes: [braces(), requiredName, dollarName(), commandSubstitution],
    unset: "empty",
    ownEnv: "remote",
    omitsEmptyHeaders: true,
  },
};

/** A dollar sign that begins no reference. */
const LONE_DOLLAR = /\$(?![A-Za-z_{(])/;

/** The host takes it for a mistake, since it may be a credential that the shell would cut short. */
function loneDollar(entry: JsonMap): { field: string; text: string } | undefined {
  const field = ["command", "args", "env", "url", "headers"].find((name) => hasLoneDollar(entry[name]));
  if (field === undefined) return undefined;
  return { field, text: `"${field}" has a dollar sign that begins no reference, which is refused by Crush.` };
}

function hasLoneDollar(value: unknown): boolean {
  if (typeof value === "string") return LONE_DOLLAR.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasLoneDollar);
}

function directory(at: HostSurroundings): string {
  return absolute(at, "CRUSH_GLOBAL_CONFIG") ?? joined(at, configHome(at), "crush");
}
