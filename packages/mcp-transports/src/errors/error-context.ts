import type { McpErrorDetails, ResolvedServer } from "@jackfield/mcp-core";
import type { ChannelFacts } from "../channel.ts";
import { harmlessCause, shownStderr } from "./wording.ts";

/** What every error of one connection needs to know. */
export interface ErrorContext {
  readonly server: ResolvedServer;
  readonly facts: ChannelFacts;
}

/** The details that all errors share. */
export function commonDetails({ server, facts }: ErrorContext, cause: unknown): McpErrorDetails {
  return {
    server: server.name,
    stderr: shownStderr(facts, server.secrets),
    cause: harmlessCause(cause, server.secrets),
  };
}

/** How a server is named in a message. */
export function nameOf({ server }: ErrorContext): string {
  return `Server "${server.name}"`;
}

/** Adds the secrets of the channel, and the given ones, to those of the entry. */
export function withHidden<C extends ErrorContext>(context: C, ...secrets: readonly string[]): C {
  const { server, facts } = context;
  const hidden = [...(facts.secrets ?? []), ...secrets];
  if (hidden.length === 0) return context;
  return { ...context, server: { ...server, secrets: [...server.secrets, ...hidden] } };
}
