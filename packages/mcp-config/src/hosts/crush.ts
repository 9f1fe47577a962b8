import { COMMON_FIELDS, COMMON_TRANSPORT, type HostFault } from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import type { JsonMap } from "../read/json-value.ts";
import {
  commandSubstitution,
  dollarName,
  escapedDollar,
  requiredName,
  shellBraces,
} from "../resolve/variable-syntax.ts";
import { references, type VariableDialect } from "../resolve/variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { configHome, folderIn, inHome, namedFolder, upward, within } from "./host-paths.ts";

const SETTINGS = namedFolder("CRUSH_GLOBAL_CONFIG", folderIn(configHome, "crush"));

const SCRIPT = "it is a shell script, which is never run; Jackfield reads Crush's JSON files only";

const VARIABLES: VariableDialect = {
  syntaxes: [escapedDollar, requiredName, shellBraces, dollarName(), commandSubstitution],
  whenUnset: "empty",
  ownEnv: "remote",
  omitsEmptyHeaders: true,
};

/** The field in which the host keeps the token that a server issued at login. */
const TOKEN = "oauth_token";

const OAUTH = {
  object: "oauth",
  fields: {
    oauth_client_id: "clientId",
    oauth_client_secret: "clientSecret",
    oauth_callback_port: "callbackPort",
  },
} as const;

/** All fields that an entry with a token may have and still not say where its server is. */
const OAUTH_FIELDS: ReadonlySet<string> = new Set([TOKEN, OAUTH.object, ...Object.keys(OAUTH.fields)]);

/**
 * Times are seconds. Its other form, `crushrc`, is a shell script: it is reported and never run. Values are expanded as by a shell,
 * but a command runs only with `runCommands`.
 */
export const CRUSH: HostDialect = {
  id: "crush",
  title: "Crush",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".crush.json", "crush.json") },
    { kind: "project-script", scope: "project", script: SCRIPT, paths: upward(".crushrc", "crushrc") },
    { kind: "user", scope: "user", paths: within(SETTINGS, "crush.json") },
    { kind: "user-script", scope: "user", script: SCRIPT, paths: within(SETTINGS, "crushrc") },
    {
      kind: "system",
      scope: "user",
      paths: (at) => (at.platform === "win32" ? [] : [{ file: "/etc/crush/crush.json" }]),
    },
  ],
  misplaced: { user: inHome(".crush.json", ".crush/crush.json") },
  servers: serversUnder("mcp"),
  entry: {
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: [{ field: "timeout", unit: "seconds" }],
      include: "enabled_tools",
      exclude: "disabled_tools",
    },
    switches: ["disabled"],
    emptyIncludesAll: true,
    oauth: OAUTH,
    findFault: dollarFault,
    extraFields: [TOKEN],
    notRunnable: (entry) =>
      isTokenOnly(entry) ? "it only holds a token for a server that another file defines" : undefined,
  },
  variables: VARIABLES,
};

function isTokenOnly(entry: JsonMap): boolean {
  return Object.hasOwn(entry, TOKEN) && Object.keys(entry).every((field) => OAUTH_FIELDS.has(field));
}

/** Finds what Crush refuses, since a shell would cut a credential short there, and references that Crush expands but Jackfield does not. */
function dollarFault(entry: JsonMap): HostFault | undefined {
  for (const field of ["command", "args", "env", "url", "headers"]) {
    const fault = faultIn(entry[field]);
    if (fault !== undefined) return { field, text: `${quote(field)} has ${fault}.` };
  }
  return undefined;
}

function faultIn(value: unknown): string | undefined {
  if (typeof value === "string") return faultInText(value);
  if (typeof value !== "object" || value === null) return undefined;
  for (const member of Object.values(value)) {
    const fault = faultIn(member);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What is left of a text without the references that are filled in must hold no shell syntax. */
function faultInText(text: string): string | undefined {
  let rest = "";
  let from = 0;
  for (const found of references(text, VARIABLES, false)) {
    rest += text.slice(from, found.from);
    from = found.to;
  }
  rest += text.slice(from);
  if (!/[$`]/.test(rest)) return undefined;
  return "shell syntax that Crush refuses, or fills in while Jackfield does not; write ${NAME} or ${NAME:-default}, or \\$ for a dollar sign. A command in backticks is never run";
}
