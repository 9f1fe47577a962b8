import { type CallOutcome, type ErrorCode, McpError, type McpErrorDetails } from "@jackfield/mcp-core";
import type { ChannelFaultFacts } from "../channel-fault.ts";
import type { Refusal } from "../http/http-call.ts";
import type { RequestEnd } from "../protocol/pending-request.ts";
import { isRefusalCode, UNSUPPORTED_PROTOCOL_VERSION } from "../rpc-codes.ts";
import { commonDetails, type ErrorContext, hiding, nameOf, withOutcome } from "./error-context.ts";
import { type Failure, readFailure } from "./failure.ts";
import { adviseOnAuthorization, STATUSES_OF_PROXIES } from "./http-status.ts";
import { forgottenSessionError } from "./loss-error.ts";
import { describeProxy, excerpt } from "./wording.ts";

/** What is known of the request that failed. */
export interface RequestContext extends ErrorContext {
  readonly method: string;
  /** Set only for `tools/call`. */
  readonly tool?: string | undefined;
  /** Whether a write was attempted. */
  readonly isWritten: boolean;
  /** How many lines that are no messages the server had printed before. */
  readonly strayBefore?: number | undefined;
}

type Explanation = readonly [
  code: ErrorCode,
  message: string,
  details: McpErrorDetails & { readonly outcome: CallOutcome },
];

/** Converts what a request threw to its error, with code, outcome and message. */
export function requestError(thrown: unknown, context: RequestContext): McpError {
  const failure = readFailure(thrown);
  if (failure.kind === "mcp") return withOutcome(failure.error, outcomeOf(context).outcome);
  const refused =
    failure.kind === "channel" && failure.facts.kind === "http-refused" ? failure.facts : undefined;
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
    `${nameOf(context)} did not answer ${subjectOf(context)} within ${limitMs} ms ${waitedFor}.${describeNewStray(context)}${adviceOnTimeout(context)}`,
    { phase: phaseOf(context), ...commonDetails(context, undefined), ...outcomeOf(context) },
  );
}

/** What the server printed while it was waited for: its answer may have been among that. */
function describeNewStray(context: RequestContext): string {
  const { facts, strayBefore = 0 } = context;
  const lines = (facts.stray?.lines ?? 0) - strayBefore;
  if (!facts.stray || lines <= 0) return "";
  const are = lines === 1 ? "1 line that is" : `${lines} lines that are`;
  return ` Meanwhile it printed ${are} not JSON-RPC to its standard output, the last: "${excerpt(facts.stray.last, hiding(context), { end: true })}".`;
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
      return explainRefusal(
        failure.kind === "rpc" ? failure.code : undefined,
        show(failure.kind === "rpc" ? failure.message : failure.detail),
        failure.kind === "rpc" ? failure.httpStatus : undefined,
        context,
      );
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
    case "channel":
      return explainFault(failure.facts, context);
    default:
      return explainLoss(context, "detail" in failure ? show(failure.detail) : "");
  }
}

function explainFault(fault: ChannelFaultFacts, context: RequestContext): Explanation {
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

function explainRefusal(
  rpcCode: number | undefined,
  reason: string,
  httpStatus: number | undefined,
  context: RequestContext,
): Explanation {
  const code = rpcCode ?? UNSUPPORTED_PROTOCOL_VERSION;
  const subject = subjectOf(context);
  if (isRefusalCode(code))
    return [
      refusalCode(context),
      `${nameOf(context)} refused ${subject} (JSON-RPC error ${code}): ${reason}`,
      { rpcCode: code, httpStatus, outcome: "rejected" },
    ];
  const doubt = context.tool === undefined ? "" : ", which may or may not have been carried out";
  return [
    refusalCode(context),
    `${nameOf(context)} reported an error for ${subject}${doubt} (JSON-RPC error ${code}): ${reason}`,
    { rpcCode: code, httpStatus, outcome: "unknown" },
  ];
}

/**
 * Statuses of a request that was refused before it was processed (RFC 9110, RFC 6585). Any other may follow work that was done, 502 and 503
 * from a gateway included, and a redirect that asks for a GET.
 */
const REFUSED = new Set([307, 308, 404, 405, 411, 413, 415, 429, 431]);

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
