import type { ErrorCode, McpError, ServerSnapshot } from "@jackfield/mcp-core";
import { approveCommand, type BlockedReport } from "../../blocked-servers.ts";
import { type CommandPlaces, nextCommand } from "../next-command.ts";
import type { OwnCredentials } from "../opened-runtime.ts";
import { type FINDING_CODES, type Finding, findingOf } from "./finding.ts";
import { endsWithStep, generalStep } from "./general-step.ts";

interface Cause {
  readonly code: keyof typeof FINDING_CODES;
  /** Missing if the messages with this code end with the next step; a text is left out after those that do. */
  readonly nextStep?:
    | string
    | ((server: ServerSnapshot, options: ServerFindingOptions) => string | undefined);
}

const CAUSES: { readonly [C in ErrorCode]?: Cause } = {
  MCP_COMMAND_NOT_FOUND: { code: "command-not-found" },
  MCP_CONFIG_VARIABLE_MISSING: {
    code: "variable-unset",
    nextStep: "Set the variable where this program is started.",
  },
  MCP_AUTH_REQUIRED: { code: "login-needed", nextStep: adviseOnLogin },
  MCP_CONFIG_INVALID: { code: "server-failed" },
  MCP_STORAGE_FAILED: { code: "server-failed" },
  MCP_CONNECT_TIMEOUT: { code: "server-failed" },
  MCP_SERVER_EXITED: { code: "server-failed" },
  MCP_HANDSHAKE_FAILED: { code: "server-failed" },
  MCP_CONNECT_FAILED: {
    code: "server-failed",
    nextStep: "Check that the server is running and that the address is correct.",
  },
};

const UNKNOWN_CAUSE: Cause = {
  code: "server-failed",
  nextStep: ({ error }, { places }) =>
    generalStep(error?.message ?? "", `See the details with: npx ${nextCommand("status --verbose", places)}`),
};

/** How an error advises a login with a command, which it shows. */
const HAS_LOGIN_COMMAND = /Log in with: /;

/** How an error advises a header. */
const HAS_HEADER = / Authorization header\b/;

/**
 * A credential that is sent in place of a login has to be right. It need not be a header of the entry: some hosts name a variable or a
 * key for it. Whether a login may be used, the entry says as well (`"oauth": false`).
 */
const ADVICE_ON_CREDENTIALS: { readonly [place in OwnCredentials]: string } = {
  header:
    "Correct the credential that its entry sends as Authorization (a header, or the variable or key that its host uses for it). A login is used only without one.",
  url: "Correct the user and the password in the URL of its entry. A login is used only without them.",
};

/** What the message does not say yet: the message itself advises a login, where there is somebody to log in with. */
function adviseOnLogin(
  { name, definedIn, error }: ServerSnapshot,
  { credentials }: ServerFindingOptions,
): string | undefined {
  const own = credentials.get(name);
  const message = error?.message ?? "";
  if (own !== undefined) return generalStep(message, ADVICE_ON_CREDENTIALS[own]);
  const header = '{ "Authorization": "Bearer ${NAME}" }';
  const token = `a valid token into "headers" of the entry: ${header}.`;
  if (HAS_LOGIN_COMMAND.test(message))
    return definedIn.file === undefined
      ? `Add the same --mcp-server to the command, or put ${token}`
      : `Or put ${token}`;
  if (!endsWithStep(message)) return `Put ${token} A login is used only without such a header.`;
  return HAS_HEADER.test(message) ? `The header is written as "headers": ${header}.` : `Or put ${token}`;
}

/** For an error in the server's own words, which must not decide what is advised. */
const REFUSAL_STEP =
  "The server runs, but refuses to work; its message says why. Correct what it needs, such as credentials or arguments, in its entry.";

/** Codes of servers that another part of the doctor tells of, with more to say. */
const TOLD_ELSEWHERE: readonly ErrorCode[] = ["MCP_APPROVAL_REQUIRED"];

export interface ServerFindingOptions {
  /** Why servers have failed, with the place of the fault. */
  readonly errors: ReadonlyMap<string, McpError>;
  /** Where the entries have credentials of their own, by server. */
  readonly credentials: ReadonlyMap<string, OwnCredentials>;
  readonly places: CommandPlaces;
}

/** Servers that are not up, and why. */
export function serverFindings(
  servers: readonly ServerSnapshot[],
  options: ServerFindingOptions,
): readonly Finding[] {
  return servers.flatMap((server): readonly Finding[] => {
    const { name, error, definedIn } = server;
    if (error === undefined || TOLD_ELSEWHERE.includes(error.code)) return [];
    const { file, line } = definedIn;
    const { message } = error;
    if (isInEntry(server, options.errors.get(name))) {
      const nextStep = generalStep(message, "Correct the entry; the others work.");
      return [{ code: "ServerConfigError", severity: "error", server: name, message, nextStep, file, line }];
    }
    const { code, nextStep } = CAUSES[error.code] ?? UNKNOWN_CAUSE;
    if (options.errors.get(name)?.rpcCode !== undefined)
      return [findingOf(code, message, REFUSAL_STEP, { server: name, file, line })];
    const step = typeof nextStep === "string" ? generalStep(message, nextStep) : nextStep?.(server, options);
    return [findingOf(code, message, step, { server: name, file, line })];
  });
}

/** What is invalid may be something else, such as the working directory. */
function isInEntry({ error, definedIn }: ServerSnapshot, thrown: McpError | undefined): boolean {
  const { location } = thrown ?? {};
  return error?.code === "MCP_CONFIG_INVALID" && location !== undefined && location.file === definedIn.file;
}

/** Servers that a project brings and nobody has approved. */
export function approvalFindings(
  blocked: readonly BlockedReport[],
  places: CommandPlaces,
): readonly Finding[] {
  const waiting = blocked.filter(({ by }) => by === "approval");
  const nextStep = `Review ${waiting.length === 1 ? "it" : "them"} with: ${approveCommand(waiting, places)}`;
  return waiting.map(({ name, definedIn: { file, line } }) => {
    const message = `Server ${JSON.stringify(name)} comes from this project and is not started: it is not approved.`;
    return findingOf("not-approved", message, nextStep, { server: name, file, line });
  });
}

/** The source of a pattern: its set of characters takes long to build. */
const BETWEEN_WORDS = String.raw`[^\p{L}\p{N}]+`;

/** Servers whose names a model can hardly tell apart, because names of tools hold letters, digits, `_` and `-` only. */
export function nameFindings(servers: readonly ServerSnapshot[]): readonly Finding[] {
  const groups = Map.groupBy(servers, ({ name }) =>
    name.normalize("NFKC").toLowerCase().replace(new RegExp(BETWEEN_WORDS, "gu"), "_"),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return [];
    const names = [first, ...others].map(({ name }) => JSON.stringify(name)).join(" and ");
    const message = `The servers ${names} have nearly the same name, so a model can confuse their tools.`;
    const { file, line } = first.definedIn;
    return [findingOf("name-clash", message, "Rename one of them.", { server: first.name, file, line })];
  });
}
