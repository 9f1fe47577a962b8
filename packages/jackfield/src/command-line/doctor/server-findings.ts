import type { ErrorCode, McpError, ServerSnapshot } from "@jackfield/mcp-core";
import { approveCommand, type BlockedReport } from "../../blocked-servers.ts";
import { placeOptions, type SearchedPlaces } from "../../searched-places.ts";
import type { OwnCredentials } from "../opened-runtime.ts";
import { type FINDING_CODES, type Finding, findingOf } from "./finding.ts";

interface Cause {
  readonly code: keyof typeof FINDING_CODES;
  readonly nextStep: string | ((server: ServerSnapshot, options: ServerFindingOptions) => string);
}

const CAUSES: { readonly [C in ErrorCode]?: Cause } = {
  MCP_COMMAND_NOT_FOUND: {
    code: "command-not-found",
    nextStep: 'Install the program, put its folder on the PATH, or write its whole path into "command".',
  },
  MCP_CONFIG_VARIABLE_MISSING: { code: "variable-unset", nextStep: adviseOnVariable },
  MCP_AUTH_REQUIRED: { code: "login-needed", nextStep: adviseOnLogin },
  MCP_CONFIG_INVALID: { code: "server-failed", nextStep: "Put right what is named here." },
  MCP_CONNECT_TIMEOUT: {
    code: "server-failed",
    nextStep:
      'Run the server by itself to see what it waits for, or allow it more time to connect. If it is downloaded at its start, it may lack the proxy or the certificates of your environment: name them in "env" of the entry.',
  },
  MCP_SERVER_EXITED: {
    code: "server-failed",
    nextStep: "Run the command by itself: what it writes to standard error says why it ends.",
  },
  MCP_HANDSHAKE_FAILED: {
    code: "server-failed",
    nextStep: "Run the command by itself: what it writes to standard error says why it ends.",
  },
  MCP_CONNECT_FAILED: {
    code: "server-failed",
    nextStep: "See whether the server runs, and whether the address is right.",
  },
};

const UNKNOWN_CAUSE: Cause = {
  code: "server-failed",
  nextStep: (_server, { places }) =>
    `See what happens with: ${["npx jackfield status --verbose", ...placeOptions(places)].join(" ")}`,
};

/** Setting a variable is not enough for an entry of a project: it is given none of its user's. */
function adviseOnVariable({ definedIn, error }: ServerSnapshot): string {
  if (definedIn.scope !== "project")
    return "Set the variable where this program is started, or write a default as in ${NAME:-default}.";
  const andSet = IS_UNSET.test(error?.message ?? "") ? " Set the variable as well." : "";
  return `If you trust the file, name it with --config FILE: its entries are your own then.${andSet} Where no credential is meant, a default as in \${NAME:-default} will do.`;
}

/** How an error says that a variable has no value. */
const IS_UNSET = / refers to .* not set/;

/** How an error advises a login. */
const LOGIN_COMMAND = /(?<=Log in with: ).*$/;

/**
 * A credential that is sent in place of a login has to be right. It need not be a header of the entry: some hosts name a variable or a
 * key for it. Whether a login may be used, the entry says as well (`"oauth": false`).
 */
const ADVICE_ON_CREDENTIALS: { readonly [place in OwnCredentials]: string } = {
  header:
    "Correct the credential that its entry sends as Authorization (a header, or the variable or key that its host names for it). A login is used only where there is none.",
  url: "Correct the user and the password in the URL of its entry. A login is used only where there are none.",
};

/** A login is advised where its error does so: not where nobody is there to log in with. */
function adviseOnLogin(
  { name, definedIn, error }: ServerSnapshot,
  { credentials }: ServerFindingOptions,
): string {
  const own = credentials.get(name);
  if (own !== undefined) return ADVICE_ON_CREDENTIALS[own];
  const token = 'a valid token into "headers" of the entry: { "Authorization": "Bearer ${NAME}" }';
  const [command] = LOGIN_COMMAND.exec(error?.message ?? "") ?? [];
  if (command === undefined) return `Put ${token}. Only where there is no such header is a login used.`;
  const again = definedIn.file === undefined ? " and the same --mcp-server" : "";
  return `Log in with ${command}${again}, or put ${token}.`;
}

/** Codes of servers that another part of the doctor tells of, with more to say. */
const TOLD_ELSEWHERE: readonly ErrorCode[] = ["MCP_APPROVAL_REQUIRED"];

export interface ServerFindingOptions {
  /** Why servers have failed, with the place of the fault. */
  readonly errors: ReadonlyMap<string, McpError>;
  /** Where the entries have credentials of their own, by server. */
  readonly credentials: ReadonlyMap<string, OwnCredentials>;
  readonly places: SearchedPlaces;
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
      const nextStep = "Correct the entry; its neighbours work.";
      return [{ code: "ServerConfigError", severity: "error", server: name, message, nextStep, file, line }];
    }
    const { code, nextStep } = CAUSES[error.code] ?? UNKNOWN_CAUSE;
    const step = typeof nextStep === "string" ? nextStep : nextStep(server, options);
    return [findingOf(code, message, step, { server: name, file, line })];
  });
}

/** What is invalid may be something else, such as the folder in which logins are kept. */
function isInEntry({ error, definedIn }: ServerSnapshot, thrown: McpError | undefined): boolean {
  const { location } = thrown ?? {};
  return error?.code === "MCP_CONFIG_INVALID" && location !== undefined && location.file === definedIn.file;
}

/** Servers that a project brings and nobody has approved. */
export function approvalFindings(
  blocked: readonly BlockedReport[],
  places: SearchedPlaces,
): readonly Finding[] {
  return blocked
    .filter(({ by }) => by === "approval")
    .map(({ name, definedIn }) => {
      const { file, line } = definedIn;
      const message = `Server ${JSON.stringify(name)} comes with this project and is not started: nobody has approved it.`;
      const nextStep = `Look at it and decide with: ${approveCommand([{ name, definedIn }], places)}`;
      return findingOf("not-approved", message, nextStep, { server: name, file, line });
    });
}

/** Servers whose names a model can hardly tell apart, because names of tools hold letters, digits, `_` and `-` only. */
export function nameFindings(servers: readonly ServerSnapshot[]): readonly Finding[] {
  const groups = Map.groupBy(servers, ({ name }) =>
    name
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "_"),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return [];
    const names = [first, ...others].map(({ name }) => JSON.stringify(name)).join(" and ");
    const message = `The servers ${names} have nearly the same name; their tools differ by a few characters for a model.`;
    const { file, line } = first.definedIn;
    return [findingOf("name-clash", message, "Rename one of them.", { server: first.name, file, line })];
  });
}
