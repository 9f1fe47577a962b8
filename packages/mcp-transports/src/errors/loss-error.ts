import { McpError } from "@jackfield/mcp-core";
import { ChannelFault } from "../channel-fault.ts";
import { commonDetails, type ErrorContext, hiding, nameOf } from "./error-context.ts";
import { describeExit, describeLastWords, describeTooManyRequests } from "./wording.ts";

const ADVICE_ON_EXIT = "Connect again; if it keeps ending, run its command in a terminal to see why.";

/** Why a session ended without being closed by us. */
export function lossError(context: ErrorContext): McpError {
  const { facts } = context;
  const name = nameOf(context);
  const details = { phase: "call", ...commonDetails(context, facts.fault) } as const;
  if (facts.fault instanceof ChannelFault && facts.fault.facts.kind === "message-too-large")
    return new McpError(
      "MCP_LIMIT_EXCEEDED",
      `${name} sent a message of more than ${facts.fault.facts.limitBytes} bytes and was disconnected. Raise "maxMessageBytes" in its limits if that is expected.`,
      details,
    );
  if (facts.fault instanceof ChannelFault && facts.fault.facts.kind === "too-many-questions")
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
  const kind = server.transport === "stdio" && fault instanceof ChannelFault ? fault.facts.kind : undefined;
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
