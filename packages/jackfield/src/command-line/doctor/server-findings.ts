import type { ErrorCode, ServerSnapshot } from "@jackfield/mcp-core";
import { approveCommand, type BlockedReport, type SearchedPlaces } from "../../blocked-servers.ts";
import { type FINDING_CODES, type Finding, findingOf } from "./finding.ts";

interface Cause {
  readonly code: keyof typeof FINDING_CODES;
  readonly nextStep: string;
}

const CAUSES: { readonly [C in ErrorCode]?: Cause } = {
  MCP_COMMAND_NOT_FOUND: {
    code: "command-not-found",
    nextStep: 'Install the program, put its folder on the PATH, or write its whole path into "command".',
  },
  MCP_CONFIG_VARIABLE_MISSING: {
    code: "variable-unset",
    nextStep: "Set the variable where this program is started, or write a default as in ${NAME:-default}.",
  },
  MCP_AUTH_REQUIRED: {
    code: "login-needed",
    nextStep:
      'Log in with "jackfield login NAME", or put a token into "headers" of the entry: { "Authorization": "Bearer ${NAME}" }.',
  },
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
  nextStep: '"jackfield status --verbose" shows what happens.',
};

/** Codes of servers that another part of the doctor tells of, with more to say. */
const TOLD_ELSEWHERE: readonly ErrorCode[] = ["MCP_APPROVAL_REQUIRED"];

/** Servers that are not up, and why. */
export function serverFindings(servers: readonly ServerSnapshot[]): readonly Finding[] {
  return servers.flatMap(({ name, error, definedIn }) => {
    if (error === undefined || TOLD_ELSEWHERE.includes(error.code)) return [];
    const { file, line } = definedIn;
    if (error.code === "MCP_CONFIG_INVALID") {
      const nextStep = "Correct the entry; its neighbours work.";
      const { message } = error;
      return [{ code: "ServerConfigError", severity: "error", server: name, message, nextStep, file, line }];
    }
    const { code, nextStep } = CAUSES[error.code] ?? UNKNOWN_CAUSE;
    const last = error.stderr?.trim().split("\n").at(-1);
    const message = last ? `${error.message} Its last words: ${last}` : error.message;
    return [findingOf(code, message, nextStep, { server: name, file, line })];
  });
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
