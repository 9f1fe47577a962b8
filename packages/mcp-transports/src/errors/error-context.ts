import {
  type CallOutcome,
  McpError,
  type McpErrorDetails,
  type Redactor,
  type ResolvedServer,
} from "@jackfield/mcp-core";
import type { ChannelFacts } from "../channel.ts";
import { redactorOf, shownStderr } from "./wording.ts";

/** What every error of one connection needs to know. */
export interface ErrorContext {
  readonly server: ResolvedServer;
  readonly facts: ChannelFacts;
  /** Set only for a request for a page of a list. It may be a key to the server's data, and is not shown. */
  readonly cursor?: string | undefined;
}

/** The details that all errors share. */
export function commonDetails(context: ErrorContext, cause: unknown): McpErrorDetails {
  const redactor = hiding(context);
  return {
    server: context.server.name,
    stderr: shownStderr(context.facts, redactor),
    cause: redactor.hideIn(cause),
  };
}

/** Hides the credentials of the entry and of the connection. */
export function hiding({ server, facts, cursor }: ErrorContext): Redactor {
  return redactorOf(server, cursor ? [...(facts.secrets ?? []), cursor] : facts.secrets);
}

/** How a server is named in a message. */
export function nameOf({ server }: ErrorContext): string {
  return `Server "${server.name}"`;
}

/** The error with this outcome, unless it has one of its own. */
export function withOutcome(error: McpError, outcome: CallOutcome): McpError {
  if (error.outcome !== undefined) return error;
  return new McpError(error.code, error.message, { ...error.toJSON(), outcome, cause: error.cause });
}
