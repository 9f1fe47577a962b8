import { type ErrorCode, McpError, type McpErrorDetails } from "@jackfield/mcp-core";
import type { PassedOver } from "@jackfield/mcp-core/node";
import type { TransportFaultFacts } from "../faults.ts";
import type { Refusal } from "../http/http-call.ts";
import type { LaunchFault } from "../stdio/command.ts";
import { type Failure, readFailure } from "./failure.ts";
import {
  adviseOnAuthorization,
  adviseOnStatus,
  commonDetails,
  describeExit,
  describeLastWords,
  describeProxy,
  describeStray,
  describeTooManyRequests,
  type ErrorContext,
  excerpt,
  hiding,
  nameOf,
  STATUSES_OF_PROXIES,
} from "./wording.ts";

type Explanation = readonly [code: ErrorCode, message: string, details?: McpErrorDetails];

/** What is known of the opening that failed. */
export interface OpeningContext extends ErrorContext {
  readonly connectTimeoutMs: number;
  /** The status with which the question for the newer protocol was refused before. */
  readonly probeStatus?: number | undefined;
}

const ADVICE_TO_RUN_IT = "Run its command in a terminal to see why.";
const ADVICE_ON_HANDSHAKE =
  "Check that its entry names an MCP server, and its arguments and variables; run its command in a terminal to see more.";

/** Converts what an opening threw to its error, with code and message. */
export function openingError(thrown: unknown, context: OpeningContext): McpError {
  const failure = readCause(thrown, context);
  if (failure.kind === "mcp") return failure.error;
  const [code, message, details] = explainExit(failure, context) ?? explainFailure(failure, context);
  const phase = code === "MCP_COMMAND_NOT_FOUND" ? "spawn" : "handshake";
  return new McpError(code, message, { phase, ...commonDetails(context, thrown), ...details });
}

/** Prefers the fault of a transport that ended itself: whoever waited only knows that it is closed. */
function readCause(thrown: unknown, { facts }: OpeningContext): Failure {
  const failure = readFailure(thrown);
  const isClosed = failure.kind === "transport" && failure.facts.kind === "output-ended";
  const isVague = isClosed || failure.kind === "other";
  return isVague && facts.fault ? readFailure(facts.fault) : failure;
}

/** If the process has ended, its exit explains the failure, unless we stopped waiting before. */
function explainExit(failure: Failure, context: OpeningContext): Explanation | undefined {
  const { facts } = context;
  const isOurDoing =
    failure.kind === "transport" &&
    (failure.facts.kind === "deadline-expired" || failure.facts.kind === "aborted");
  if (!facts.exit || isOurDoing) return undefined;
  const ended = `${nameOf(context)} ended ${describeExit(facts.exit)}`;
  const words = describeLastWords(facts, hiding(context)) + describeStray(facts, hiding(context));
  if (facts.hasAnswered)
    return [
      "MCP_HANDSHAKE_FAILED",
      `${ended} in the middle of the handshake.${words} ${ADVICE_ON_HANDSHAKE}`,
    ];
  return [
    "MCP_SERVER_EXITED",
    `${ended} before it answered anything.${words} ${ADVICE_TO_RUN_IT}`,
    { phase: "spawn" },
  ];
}

function explainFailure(failure: Exclude<Failure, { kind: "mcp" }>, context: OpeningContext): Explanation {
  const name = nameOf(context);
  const show = (text: string) => excerpt(text, hiding(context));
  switch (failure.kind) {
    case "transport":
      return explainFault(failure.facts, context);
    case "rpc": {
      const message = `${name} refused the connection (JSON-RPC error ${failure.code}): ${show(failure.message)}`;
      return ["MCP_CONNECT_FAILED", message, { rpcCode: failure.code, httpStatus: failure.httpStatus }];
    }
    case "network":
      return [
        "MCP_CONNECT_FAILED",
        `${name} cannot be reached (${failure.code}).${describeProxy(context.facts)} Check that it runs and that its address is right.`,
      ];
    case "version":
    case "unsupported":
      return [
        "MCP_PROTOCOL_UNSUPPORTED",
        `${name} and this client have no protocol version in common: ${show(failure.detail)}. Update the server or this client.`,
      ];
    case "invalid":
      return [
        "MCP_PROTOCOL_VIOLATED",
        `${name} did not answer like an MCP server: ${show(failure.detail)}. Check that its entry names an MCP endpoint.`,
      ];
    case "rounds-exceeded":
    case "state-exceeded":
    case "other":
      return [
        "MCP_CONNECT_FAILED",
        `Connecting to server "${context.server.name}" failed: ${show(failure.detail)}. Check its entry.`,
      ];
  }
}

function explainFault(fault: TransportFaultFacts, context: OpeningContext): Explanation {
  const { server, facts, connectTimeoutMs } = context;
  const name = nameOf(context);
  switch (fault.kind) {
    case "deadline-expired": {
      const stray = describeStray(facts, hiding(context));
      const advice = adviseOnSilence(context);
      return [
        "MCP_CONNECT_TIMEOUT",
        `${name} was not ready within ${connectTimeoutMs} ms.${stray}${describeProxy(facts)}${describeWithheld(server)} ${advice}`,
      ];
    }
    case "aborted":
      return ["MCP_ABORTED", `Connecting to server "${server.name}" was aborted.`];
    case "spawn-failed":
      return explainSpawnFault(fault.errno, context);
    case "command-missing":
      return explainMissingCommand(fault.passedOver, context);
    case "launch-refused":
      return [
        "MCP_CONFIG_INVALID",
        `${name} cannot be started: its command is a batch file, ${LAUNCH_FAULTS[fault.reason]}`,
        { phase: "spawn" },
      ];
    case "folder-missing":
      return [
        "MCP_CONFIG_INVALID",
        `${name} cannot be started: its working directory ${excerpt(fault.folder, hiding(context))} does not exist. Correct "cwd" in its entry.`,
        { phase: "spawn" },
      ];
    case "url-invalid":
      return ["MCP_CONFIG_INVALID", `${name} has an invalid URL. Correct "url" in its entry.`];
    case "proxy-invalid":
      return [
        "MCP_CONFIG_INVALID",
        `${name} cannot be reached: the variable ${fault.variable} does not name a usable proxy. Correct it, for example to http://proxy.example:3128, or name the server's host in NO_PROXY.`,
      ];
    case "no-server-given":
      return [
        "MCP_CONFIG_INVALID",
        `The function in the entry of server "${server.name}" did not return an MCP server. Have it return one, or a module that exports one, or a function that makes one, as "default", "server" or "createServer".`,
      ];
    case "message-too-large":
      return [
        "MCP_LIMIT_EXCEEDED",
        `${name} sent a message of more than ${fault.limitBytes} bytes. Raise "maxMessageBytes" in its limits if that is expected.`,
      ];
    case "too-many-questions":
      return ["MCP_LIMIT_EXCEEDED", `${name} ${describeTooManyRequests(fault)}`];
    case "http-refused":
      return explainStatus(fault, context);
    case "unwritable":
    case "write-broken":
    case "output-ended":
    case "queue-full":
    case "unserializable":
      if (server.transport !== "stdio") return explainClosing(context);
      return [
        "MCP_HANDSHAKE_FAILED",
        `${name} closed its standard streams before it was ready.${describeLastWords(facts, hiding(context))} ${ADVICE_TO_RUN_IT}`,
      ];
  }
}

function explainClosing(context: OpeningContext): Explanation {
  return [
    "MCP_HANDSHAKE_FAILED",
    `${nameOf(context)} closed the connection in the middle of the handshake. Check that its entry names an MCP server.`,
  ];
}

/** What to do about a server that did not become ready in time. */
function adviseOnSilence({ server, facts }: OpeningContext): string {
  if (facts.stray) return "A server may write only protocol messages there: have it log to standard error.";
  const place = server.transport === "stdio" ? "run its command in a terminal" : "check its address";
  return `Raise connectTimeoutMs if it is merely slow, or ${place} to see why.`;
}

/** A start that only waits often waits for a download that cannot pass a proxy, or does not trust a certificate. */
function describeWithheld(server: OpeningContext["server"]): string {
  const { withheld = [] } = server.transport === "stdio" ? server : {};
  if (withheld.length === 0) return "";
  return ` Its process does not get ${withheld.join(", ")}, which a download may need: list ${withheld.length === 1 ? "it" : "them"} in "inheritEnv" or in "env" of its entry.`;
}

const LAUNCH_FAULTS: { readonly [F in LaunchFault]: string } = {
  "line-break": `which cannot take an argument with a line break. Correct "args" in its entry.`,
  "too-long": `whose command line would be too long. Shorten "args" in its entry.`,
  "unusable-path": `whose path cannot be quoted. Correct "command" in its entry.`,
};

const DISTRUST: { readonly [R in PassedOver["reason"]]: string } = {
  relative: "it is not an absolute path",
  "in-project": "it is inside the working directory or its repository",
};

function explainMissingCommand(passedOver: PassedOver | undefined, context: OpeningContext): Explanation {
  const { server } = context;
  const show = (text: string) => `"${excerpt(text, hiding(context))}"`;
  const command = server.transport === "stdio" ? show(server.command) : "";
  const fact = `${nameOf(context)} cannot be started: the command ${command} was not found`;
  const sentences = passedOver
    ? ` in the folders that are searched. The PATH entry ${show(passedOver.entry)} has it but is skipped, because ${DISTRUST[passedOver.reason]}. Give the full path in the entry if that is the one you mean.`
    : ". Install it, or give its full path in the entry.";
  return ["MCP_COMMAND_NOT_FOUND", fact + sentences];
}

function explainSpawnFault(errno: string | undefined, context: OpeningContext): Explanation {
  const { server } = context;
  const command = server.transport === "stdio" ? excerpt(server.command, hiding(context)) : "";
  const name = nameOf(context);
  if (errno === "ENOENT") return explainMissingCommand(undefined, context);
  if (errno === "EACCES" || errno === "EPERM")
    return [
      "MCP_COMMAND_NOT_FOUND",
      `${name} cannot be started: permission to run "${command}" was denied. Make the file executable, or name its interpreter as the command.`,
    ];
  return [
    "MCP_CONNECT_FAILED",
    `${name} cannot be started: running "${command}" failed (${errno ?? "unknown reason"}). Check "command", "args" and "env" in its entry.`,
    { phase: "spawn" },
  ];
}

function explainStatus(
  { status, redirectedTo, retryAfterMs }: Refusal,
  context: OpeningContext,
): Explanation {
  const name = nameOf(context);
  const { probeStatus = status } = context;
  const before =
    probeStatus === status
      ? ""
      : ` It had answered the question for the newer protocol with HTTP ${probeStatus}.`;
  if (status === 401 || status === 403)
    return [
      "MCP_AUTH_REQUIRED",
      `${name} refused access (HTTP ${status}).${before} ${adviseOnAuthorization(context.server)}`,
      { httpStatus: status },
    ];
  const through = STATUSES_OF_PROXIES.has(status) ? describeProxy(context.facts) : "";
  const reason =
    redirectedTo === undefined
      ? ""
      : `: a redirect to ${excerpt(redirectedTo, hiding(context))} was not followed`;
  return [
    "MCP_CONNECT_FAILED",
    `${name} answered with HTTP ${status}${reason}.${before}${through} ${adviseOnStatus(status)}`,
    { httpStatus: status, retryAfterMs },
  ];
}
