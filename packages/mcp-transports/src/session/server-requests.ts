import {
  type ElicitationAnswer,
  type ElicitationRequest,
  type HostHandlers,
  isMcpError,
  type JsonObject,
  type Logger,
  McpError,
  type ServerRequestContext,
  thrownText,
} from "@jackfield/mcp-core";
import type { Client, ClientCapabilities, CreateMessageResult } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk.ts";
import { mayBeOpened } from "./elicitation-url.ts";

/** The handlers for the server's requests: those of the latest request that brought its own, else the host's. */
export interface HandlerStack {
  /** The host's own, which determine the announced capabilities. */
  readonly base: HostHandlers;
  find<H extends keyof HostHandlers>(name: H): HostHandlers[H];
  /** Puts a request's handlers first; the returned function removes them. */
  push(handlers: HostHandlers): () => void;
  /** Called when a request of the server is about to be answered; the returned function is called afterwards. */
  onServerRequest?: (() => () => void) | undefined;
}

/** In the legacy era, a request of the server does not say which call it belongs to, so the latest handlers come first. */
export function createHandlerStack(base: HostHandlers): HandlerStack {
  const own = new Set<{ readonly handlers: HostHandlers }>();
  return {
    base,
    find: (name) => [...own].reverse().find(({ handlers }) => handlers[name])?.handlers[name] ?? base[name],
    push(handlers) {
      const entry = { handlers };
      own.add(entry);
      return () => void own.delete(entry);
    },
  };
}

/**
 * The announced capabilities: only those for which the host has a handler. The SDK's client fills in form fields that the user left out
 * with the server's defaults (SEP-1034).
 */
export function announcedCapabilities(handlers: HostHandlers): ClientCapabilities {
  return {
    ...(handlers.elicit && { elicitation: { form: { applyDefaults: true }, url: {} } }),
    ...(handlers.sample && { sampling: {} }),
    ...(handlers.roots && { roots: {} }),
  };
}

export interface ServerRequestOptions {
  readonly sdk: Sdk;
  readonly server: string;
  readonly handlers: HandlerStack;
  readonly log: Logger;
}

/** A server can cancel its requests as soon as it has sent them, but their handlers still run. */
const MOST_AT_WORK = 1000;

/** Has the client answer the server's requests through the host's handlers. */
export function answerServerRequests(client: Client, options: ServerRequestOptions): void {
  const { handlers, server, log } = options;
  const { base } = handlers;
  const contextOf = (signal: AbortSignal): ServerRequestContext => ({ server, signal });
  let atWork = 0;
  const guarded = async <T>(method: string, answer: () => Promise<T>) => {
    if (atWork >= MOST_AT_WORK) throw new Error("too many requests at once");
    atWork += 1;
    return guard(client, method, options, answer).finally(() => {
      atWork -= 1;
    });
  };
  if (base.elicit)
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
      guarded("elicitation/create", async () => {
        const elicitation = readElicitation(params);
        if (elicitation.mode === "url" && !mayBeOpened(elicitation.url)) {
          log("warn", "The server asks to open an address that is neither https nor on this machine.", {
            server,
          });
          return { action: "decline" } satisfies ElicitationAnswer;
        }
        const answer = await handlers.find("elicit")?.(elicitation, contextOf(mcpReq.signal));
        return { ...(answer ?? ({ action: "cancel" } satisfies ElicitationAnswer)) };
      }),
    );
  if (base.sample)
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) =>
      guarded("sampling/createMessage", async () => {
        const answer = await handlers.find("sample")?.({ ...params }, contextOf(mcpReq.signal));
        return answer as unknown as CreateMessageResult; // the SDK checks it before it is sent
      }),
    );
  if (base.roots)
    client.setRequestHandler("roots/list", (_request, { mcpReq }) =>
      guarded("roots/list", async () => {
        const roots = (await handlers.find("roots")?.(contextOf(mcpReq.signal))) ?? [];
        return { roots: roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name })) };
      }),
    );
}

/**
 * Handles errors of the host's handlers. The server learns that a handler failed, with the code if the host chose one, but not why. A
 * modern server asks within an answer, so only the caller can be told.
 */
async function guard<T>(
  client: Client,
  method: string,
  { sdk, server, log, handlers }: ServerRequestOptions,
  answer: () => Promise<T>,
): Promise<T> {
  const answered = handlers.onServerRequest?.();
  try {
    return await answer();
  } catch (error) {
    log("warn", `The host's handler for "${method}" failed.`, { server, error: thrownText(error) });
    const code = readRpcCode(error);
    if (client.getProtocolEra() === "modern") throw unansweredError(server, method, code, error);
    throw new sdk.ProtocolError(code ?? sdk.ProtocolErrorCode.InternalError, "The client could not answer.");
  } finally {
    answered?.();
  }
}

/** A thrown value whose members cannot be read has no code. */
function readRpcCode(error: unknown): number | undefined {
  try {
    return rpcCodeOf(error);
  } catch {
    return undefined;
  }
}

/** A `DOMException`, which an aborted signal throws, has a `code` with another meaning. */
function rpcCodeOf(error: unknown): number | undefined {
  if (isMcpError(error)) return error.rpcCode;
  if (!(error instanceof Error) || !("code" in error) || error instanceof DOMException) return undefined;
  return Number.isSafeInteger(error.code) ? (error.code as number) : undefined;
}

function unansweredError(
  server: string,
  method: string,
  rpcCode: number | undefined,
  cause: unknown,
): McpError {
  const message = `Server "${server}" first asked the host for input ("${method}"), but the host's handler failed; the request was not carried out.`;
  return new McpError("MCP_REQUEST_REJECTED", message, {
    server,
    phase: "call",
    outcome: "rejected",
    rpcCode,
    cause,
  });
}

/** Without a mode it is a form (MCP 2025-06-18 has no other mode). */
function readElicitation(params: {
  readonly message: string;
  readonly mode?: "form" | "url" | undefined;
  readonly requestedSchema?: unknown;
  readonly url?: unknown;
}): ElicitationRequest {
  const { message, mode = "form", requestedSchema, url } = params;
  return mode === "form"
    ? { message, mode, requestedSchema: requestedSchema as JsonObject | undefined }
    : { message, mode, url: typeof url === "string" ? url : undefined };
}
