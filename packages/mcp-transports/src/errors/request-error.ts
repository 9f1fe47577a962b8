import { type CallOutcome, type ErrorCode, McpError, type McpErrorDetails } from "@jackfield/mcp-core";
import {
  isRefusalCode,
  TransportFault,
  type TransportFaultFacts,
  UNSUPPORTED_PROTOCOL_VERSION,
  URL_ELICITATION_REQUIRED,
} from "../faults.ts";
import type { Refusal } from "../http/http-call.ts";
import { addressToOpen, requiredUrls } from "../protocol/input-required.ts";
import type { PendingRequest, RequestEnd } from "../protocol/pending-request.ts";
import { type Failure, readFailure, refusalOf } from "./failure.ts";
import {
  adviseOnAuthorization,
  commonDetails,
  describeExit,
  describeLastWords,
  describeProxy,
  describeTooManyRequests,
  displayUrl,
  type ErrorContext,
  excerpt,
  hiding,
  nameOf,
  STATUSES_OF_PROXIES,
  strayLines,
  withOutcome,
} from "./wording.ts";

/** The code, the message and the details of an error: each says what became of its request. */
type Explanation = readonly [
  code: ErrorCode,
  message: string,
  details: McpErrorDetails & { readonly outcome: CallOutcome },
];

/** What is known of the request that failed. */
export interface RequestContext extends ErrorContext {
  readonly method: string;
  /** Set only for `tools/call`. */
  readonly tool?: string | undefined;
  /** Whether a write was attempted. */
  readonly isWritten: boolean;
  /** Whether it waits until other calls have settled. */
  readonly isWaiting?: boolean | undefined;
  readonly strays?: PendingRequest["strays"] | undefined;
}

/** Converts what a request threw to its error, with code, outcome and message. */
export function requestError(thrown: unknown, context: RequestContext): McpError {
  const failure = readFailure(thrown);
  if (failure.kind === "mcp") return withOutcome(failure.error, outcomeOf(context).outcome);
  const refused = refusalOf(failure);
  if (refused?.isForgotten) return withRequest(forgottenSessionError(refused.status, context), context);
  const [code, message, details] = refused
    ? explainStatus(refused, context)
    : explainFailure(failure, context);
  return new McpError(code, message, {
    phase: phaseOf(context),
    tool: context.tool,
    ...commonDetails(context, thrown),
    ...details,
  });
}

/** The error of a request that ended without its answer. `isClosing`: the host closes the session. */
export function endError(end: RequestEnd, context: RequestContext, isClosing: boolean): McpError {
  switch (end.kind) {
    case "failed":
      return requestError(end.error, context);
    case "expired":
      return timeoutError(end.limitMs, end.isTotal, context);
    case "aborted":
      return abortedError(end.reason, context);
    case "ended":
      return end.cause && !isClosing ? pendingRequestError(end.cause, context) : closedError(context);
  }
}

/**
 * The error of a request that was pending when its session ended. `MCP_LIMIT_EXCEEDED` is kept for a request that was written:
 * the same request would exceed the limit again.
 */
export function pendingRequestError(cause: McpError, context: RequestContext): McpError {
  const [lossCode, message, details] = explainLoss(context, cause.message);
  const code = cause.code === "MCP_LIMIT_EXCEEDED" && context.isWritten ? cause.code : lossCode;
  return new McpError(code, message, {
    phase: phaseOf(context),
    server: context.server.name,
    tool: context.tool,
    stderr: cause.stderr,
    cause,
    ...details,
  });
}

/** The error of a request that timed out. */
function timeoutError(limitMs: number, isTotal: boolean, context: RequestContext): McpError {
  const waitedFor = isTotal ? "in total" : "without progress";
  return new McpError(
    "MCP_CALL_TIMEOUT",
    context.isWaiting
      ? `${nameOf(context)} was not sent ${subjectOf(context)} within ${limitMs} ms: it waited for its turn, because "maxConcurrentCalls" in the server's limits is ${context.server.limits?.maxConcurrentCalls}. Call again later, or raise that limit if the server can do more at a time.`
      : `${nameOf(context)} did not answer ${subjectOf(context)} within ${limitMs} ms ${waitedFor}.${describeNewStray(context)}${describeStrayAnswers(context)}${adviceOnTimeout(context)}`,
    { phase: phaseOf(context), ...commonDetails(context, undefined), ...outcomeOf(context) },
  );
}

/** What the server printed while it was waited for: its answer may have been among that. */
function describeNewStray(context: RequestContext): string {
  const { facts, strays } = context;
  if (!facts.stray || !strays || strays.lines <= 0) return "";
  const last = excerpt(facts.stray.last, hiding(context), { end: true });
  return ` Meanwhile it printed ${strayLines(strays.lines)}, the last: "${last}".`;
}

/** A server that cannot read a request may answer without its id, or with another one. */
function describeStrayAnswers(context: RequestContext): string {
  const { answers = 0, lastAnswer } = context.strays ?? {};
  if (answers <= 0) return "";
  const sent = answers === 1 ? "an answer" : `${answers} answers, the last`;
  return ` Meanwhile it sent ${sent} to no request of ours: ${excerpt(JSON.stringify(lastAnswer), hiding(context), { end: true })}.`;
}

/** The error of a request whose caller gave up. */
function abortedError(reason: unknown, context: RequestContext): McpError {
  return new McpError(
    "MCP_ABORTED",
    `The caller aborted ${subjectOf(context)} to server "${context.server.name}".`,
    {
      phase: phaseOf(context),
      ...commonDetails(context, reason),
      ...outcomeOf(context),
    },
  );
}

/** The error of a request whose session was closed, before the request or during it. */
export function closedError(context: RequestContext): McpError {
  return new McpError("MCP_CLOSED", `The session with server "${context.server.name}" was closed.`, {
    phase: phaseOf(context),
    ...commonDetails(context, undefined),
    ...outcomeOf(context),
  });
}

function explainFailure(failure: Exclude<Failure, { kind: "mcp" }>, context: RequestContext): Explanation {
  const show = (text: string) => excerpt(text, hiding(context));
  switch (failure.kind) {
    case "rpc":
    case "version":
      return explainRpcError(failure, context);
    case "unsupported":
      return [
        "MCP_REQUEST_REJECTED",
        context.isWritten
          ? `${nameOf(context)} asked the host for input before it answered ${subjectOf(context)}, and did not get it: ${show(failure.detail)}`
          : `${nameOf(context)} does not support ${subjectOf(context)}: ${show(failure.detail)}`,
        { outcome: context.isWritten ? "rejected" : "not-sent" },
      ];
    case "invalid":
      return [
        "MCP_PROTOCOL_VIOLATED",
        `${nameOf(context)} answered ${subjectOf(context)} with something that is not valid MCP: ${show(failure.detail)}`,
        outcomeOf(context),
      ];
    case "rounds-exceeded":
      return [
        "MCP_LIMIT_EXCEEDED",
        `${nameOf(context)} kept asking for input and never answered ${subjectOf(context)}.`,
        outcomeOf(context),
      ];
    case "state-exceeded":
      return [
        "MCP_LIMIT_EXCEEDED",
        `${nameOf(context)} did not answer ${subjectOf(context)}: ${failure.detail}. Report this to its developers.`,
        outcomeOf(context),
      ];
    case "network":
      return explainLoss({ ...context, isWritten: context.isWritten && !failure.neverSent }, failure.code);
    case "transport":
      return explainFault(failure.facts, context);
    default:
      return explainLoss(context, "detail" in failure ? show(failure.detail) : "");
  }
}

function explainFault(fault: TransportFaultFacts, context: RequestContext): Explanation {
  switch (fault.kind) {
    case "queue-full":
      return [
        "MCP_LIMIT_EXCEEDED",
        `${nameOf(context)} does not read its input: ${fault.limitBytes} bytes are already waiting, so ${subjectOf(context)} was not sent. Send it later, or reconnect the server.`,
        { outcome: "not-sent" },
      ];
    case "message-too-large":
      return [
        "MCP_LIMIT_EXCEEDED",
        `${nameOf(context)} answered ${subjectOf(context)} with more than ${fault.limitBytes} bytes, which were not read. Raise "maxMessageBytes" in its limits if that is expected.`,
        outcomeOf(context),
      ];
    case "unserializable":
      return [
        "MCP_ARGUMENTS_INVALID",
        `${subjectOf(context)} was not sent to server "${context.server.name}": it cannot be written as JSON. Pass plain JSON values.`,
        { outcome: "not-sent" },
      ];
    default:
      return explainLoss({ ...context, isWritten: context.isWritten && fault.kind !== "unwritable" }, "");
  }
}

/** The connection is lost. What this means depends on whether the request may have arrived, and whether it calls a tool. */
function explainLoss(context: RequestContext, reason: string): Explanation {
  const because = reason ? `: ${reason}` : ".";
  const name = nameOf(context);
  if (context.isWritten && context.tool !== undefined)
    return [
      "MCP_OUTCOME_UNKNOWN",
      `${name} was lost while it worked on ${subjectOf(context)}, which may or may not have been carried out${because}`,
      { outcome: "unknown" },
    ];
  return [
    "MCP_SESSION_LOST",
    `${name} was lost before it answered ${subjectOf(context)}${because}`,
    outcomeOf(context),
  ];
}

function explainRpcError(
  failure: Exclude<Failure, { kind: "mcp" | "transport" | "network" }>,
  context: RequestContext,
): Explanation {
  const {
    code: rpcCode,
    httpStatus,
    message: reason,
    data,
  } = failure.kind === "rpc"
    ? failure
    : { code: undefined, httpStatus: undefined, message: failure.detail, data: undefined };
  const code = rpcCode ?? UNSUPPORTED_PROTOCOL_VERSION;
  const show = (text: string) => excerpt(text, hiding(context));
  const outcome = isRefusalCode(code) ? "rejected" : "unknown";
  const doubt = context.tool === undefined ? "" : ", which may or may not have been carried out";
  const fact =
    outcome === "rejected"
      ? `refused ${subjectOf(context)}`
      : `reported an error for ${subjectOf(context)}${doubt}`;
  const message = `${nameOf(context)} ${fact} (JSON-RPC error ${code}): ${show(reason)}`;
  const addresses = code === URL_ELICITATION_REQUIRED ? addressesIn(data, show) : "";
  return [refusalCode(context), message + addresses, { rpcCode, httpStatus, outcome }];
}

/** The addresses that the user has to open first. Their queries may be secret; the whole ones are in the data of the cause. */
function addressesIn(data: unknown, show: (text: string) => string): string {
  const named = requiredUrls(data).map(({ url }) => addressToOpen(url));
  const shown = named.flatMap((url) => (url === undefined ? [] : [show(displayUrl(new URL(url)))]));
  return shown.length === 0 ? "" : ` (first open ${shown.join(" and ")})`;
}

/**
 * Statuses of a request that was refused before it was processed (RFC 9110, RFC 6585, RFC 8470). Any other may follow work that was done, 502
 * and 503 from a gateway included, and a redirect that asks for a GET.
 */
const REFUSED = new Set([
  307, 308, 404, 405, 406, 407, 411, 413, 414, 415, 417, 421, 425, 426, 428, 429, 431, 501, 505, 511,
]);

function explainStatus(
  { status, retryAfterMs, redirectedTo }: Refusal,
  context: RequestContext,
): Explanation {
  const details = { httpStatus: status, retryAfterMs };
  const target =
    redirectedTo === undefined
      ? ""
      : ` It redirects to ${excerpt(redirectedTo, hiding(context))}, which is not followed.`;
  const through = STATUSES_OF_PROXIES.has(status) ? describeProxy(context.facts) : "";
  const answered = `${nameOf(context)} answered ${subjectOf(context)} with HTTP ${status}.${target}${through}`;
  if (status === 401 || status === 403)
    return [
      "MCP_AUTH_REQUIRED",
      `${answered} ${adviseOnAuthorization(context.server)}`,
      { ...details, outcome: "rejected" },
    ];
  if (REFUSED.has(status)) return [refusalCode(context), answered, { ...details, outcome: "rejected" }];
  if (context.tool === undefined)
    return ["MCP_REQUEST_REJECTED", answered, { ...details, outcome: "unknown" }];
  return [
    "MCP_OUTCOME_UNKNOWN",
    `${answered}${adviceOnUnknown(context)}`,
    { ...details, outcome: "unknown" },
  ];
}

function withRequest(error: McpError, context: RequestContext): McpError {
  return new McpError(error.code, error.message, {
    ...error.toJSON(),
    tool: context.tool,
    phase: phaseOf(context),
  });
}

function refusalCode(context: RequestContext): ErrorCode {
  return context.tool === undefined ? "MCP_REQUEST_REJECTED" : "MCP_TOOL_REJECTED";
}

function outcomeOf({ isWritten, tool }: RequestContext) {
  return { outcome: isWritten ? "unknown" : "not-sent", tool } as const;
}

function adviceOnTimeout(context: RequestContext): string {
  if (context.isWritten) return adviceOnUnknown(context);
  return context.server.transport === "stdio"
    ? " It was not sent, because the server does not read its input; reconnect the server."
    : " It was not sent, because no connection or login was ready in time.";
}

function adviceOnUnknown({ isWritten, tool }: RequestContext): string {
  return isWritten && tool !== undefined
    ? " It may or may not have been carried out; check before you repeat it."
    : "";
}

function phaseOf({ method }: RequestContext): "list" | "call" {
  return method.endsWith("/list") ? "list" : "call";
}

function subjectOf({ method, tool }: RequestContext): string {
  return tool === undefined ? `"${method}"` : `the call of tool "${tool}"`;
}

const ADVICE_ON_EXIT = "Connect again; if it keeps ending, run its command in a terminal to see why.";

/** Why a session ended without being closed by us. */
export function lossError(context: ErrorContext): McpError {
  const { facts } = context;
  const name = nameOf(context);
  const details = { phase: "call", ...commonDetails(context, facts.fault) } as const;
  if (facts.fault instanceof TransportFault && facts.fault.facts.kind === "message-too-large")
    return new McpError(
      "MCP_LIMIT_EXCEEDED",
      `${name} sent a message of more than ${facts.fault.facts.limitBytes} bytes and was disconnected. Raise "maxMessageBytes" in its limits if that is expected.`,
      details,
    );
  if (facts.fault instanceof TransportFault && facts.fault.facts.kind === "too-many-questions")
    return new McpError(
      "MCP_LIMIT_EXCEEDED",
      `${name} ${describeTooManyRequests(facts.fault.facts)}`,
      details,
    );
  if (facts.exit)
    return new McpError(
      "MCP_SERVER_EXITED",
      `${name} ended ${describeExit(facts.exit)}.${describeLastWords(facts, hiding(context))} ${ADVICE_ON_EXIT}`,
      details,
    );
  return new McpError("MCP_SESSION_LOST", `${name} closed ${describeEnd(context)}. Connect again.`, details);
}

function describeEnd({ server, facts: { fault } }: ErrorContext): string {
  const kind = server.transport === "stdio" && fault instanceof TransportFault ? fault.facts.kind : undefined;
  if (kind === "output-ended") return "its standard output but kept running";
  return kind === "unwritable" ? "its standard input but kept running" : "the connection";
}

/** The error of a session that its server no longer knows (MCP 2025-11-25, transports, "Session Management"), with the status that said so. */
export function forgottenSessionError(httpStatus: number, context: ErrorContext): McpError {
  const { differences = [] } = context.facts;
  const replacement =
    differences.length > 0
      ? `, and another server answers in its place (different: ${differences.join(", ")})`
      : "";
  return new McpError(
    "MCP_SESSION_LOST",
    `${nameOf(context)} no longer knows this session (HTTP ${httpStatus})${replacement}. Connect again.`,
    { phase: "call", httpStatus, outcome: "rejected", ...commonDetails(context, undefined) },
  );
}

/** The error of a session that was opened with a remembered handshake, which no longer holds. */
export function outdatedPriorError(context: ErrorContext, cause: unknown): McpError {
  return new McpError(
    "MCP_SESSION_LOST",
    `${nameOf(context)} no longer supports the protocol version of the remembered handshake. Connect again without it.`,
    { phase: "handshake", ...commonDetails(context, cause) },
  );
}
