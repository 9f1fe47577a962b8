import { AsyncLocalStorage } from "node:async_hooks";
import {
  type ElicitationAnswer,
  type ElicitationRequest,
  type HostHandlers,
  isMcpError,
  type JsonObject,
  type Logger,
  McpError,
  type ServerRequestContext,
  type SessionRequestOptions,
  thrownText,
} from "@jackfield/mcp-core";
import type { Client, ClientCapabilities, CreateMessageResult } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk.ts";
import { addressToOpen } from "./elicitation-url.ts";

/** Who answers what belongs to no call, or to a call without handlers of its own. */
export interface SessionHandlers {
  /** The host's own, which determine the announced capabilities. */
  readonly base: HostHandlers;
  /** The user for whom the session was opened. */
  readonly principal: string | undefined;
}

/** A call for which a server may ask something. */
export interface AskingCall {
  readonly subject: { readonly method: string; readonly tool?: string | undefined };
  readonly request: Pick<SessionRequestOptions, "handlers" | "meta" | "principal">;
  /** Whether somebody still waits for it. */
  isWanted(): boolean;
  /** Settles when nobody does any more. */
  readonly outcome: Promise<unknown>;
}

/** A request of the server, as the wire shows it when it arrives. */
export interface Question {
  /** The calls that it may belong to; empty if it belongs to none. Those that were given up lately are among them. */
  readonly calls: readonly AskingCall[];
  /** Whether it belongs to a call beyond doubt: to the only one of `calls`, or, if there is none, to one that has ended. */
  readonly isBound: boolean;
  /** Suspends the idle deadlines of the requests that may wait for its answer, until the returned function is called. */
  hold(): () => void;
}

/**
 * The question that is being delivered. The SDK's client hands no such thing on to its handlers, and in the modern era it asks them by
 * itself. Missing for what came during the handshake, before there were calls.
 */
export const currentQuestion = new AsyncLocalStorage<Question>();

/** Whether a request is made for a caller. Lists, pings and the handshake are the runtime's own. */
export function isCall(method: string): boolean {
  return method !== "ping" && method !== "initialize" && !method.endsWith("/list");
}

/** Who answers a question. */
interface Respondent<H extends keyof HostHandlers> {
  readonly handler: HostHandlers[H];
  readonly principal: string | undefined;
  /** The calls that it may belong to and that somebody still waits for. */
  readonly calls: readonly AskingCall[];
}

/**
 * Finds who answers: the caller, if all calls that the question may belong to have the same user and the same handler. `undefined`: nobody
 * may. Waiting until fewer calls are pending would not help: the one that ends first may be the one that the server asks for, and
 * the question would then reach the user of another.
 */
function respondentTo<H extends keyof HostHandlers>(
  name: H,
  { base, principal }: SessionHandlers,
  { calls = [], isBound = false }: Partial<Question> = {},
): Respondent<H> | undefined {
  const runtime: Respondent<H> = { handler: base[name], principal, calls: [] };
  const isSame = (one: Respondent<H>, other: Respondent<H>) =>
    one.handler === other.handler && one.principal === other.principal;
  const waiting = calls.filter((call) => call.isWanted());
  const [first = runtime, ...others] = calls.map(({ request }) => ({
    handler: request.handlers?.[name] ?? base[name],
    principal: request.principal ?? principal,
    calls: waiting,
  }));
  if (!others.every((other) => isSame(first, other))) return undefined;
  return waiting.length > 0 || (!isBound && isSame(first, runtime)) ? first : undefined;
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
  readonly handlers: SessionHandlers;
  readonly log: Logger;
}

/** A server can cancel its requests as soon as it has sent them, but their handlers still run. */
const MOST_AT_WORK = 1000;

/** A question that nobody may answer, or whose call ended before its answer. */
const DECLINED = Symbol("declined");

/** Has the client answer the server's requests through the handlers of the call that each belongs to. */
export function answerServerRequests(client: Client, options: ServerRequestOptions): void {
  const { handlers, server, log, sdk } = options;
  const { base } = handlers;
  let atWork = 0;
  const ask = async <H extends keyof HostHandlers, T>(
    name: H,
    { method, signal }: { readonly method: string; readonly signal: AbortSignal },
    answer: (handler: HostHandlers[H], context: ServerRequestContext) => Promise<T>,
  ): Promise<T | typeof DECLINED> => {
    if (atWork >= MOST_AT_WORK) throw new Error("too many requests at once");
    const question = currentQuestion.getStore();
    const respondent = respondentTo(name, handlers, question);
    if (!respondent) {
      log("warn", DECLINED_BECAUSE, { server, method });
      return DECLINED;
    }
    const { handler, principal, calls } = respondent;
    const [only] = calls.length === 1 ? calls : [];
    const call = only && { ...only.subject, meta: only.request.meta, principal };
    const over = new AbortController();
    const ended = Promise.withResolvers<typeof DECLINED>();
    if (calls.length > 0)
      void allSettled(calls).then(() => {
        ended.resolve(DECLINED);
        over.abort(new Error("the call that the question belongs to has ended"));
      });
    const context = { server, signal: AbortSignal.any([signal, over.signal]), principal, call };
    const release = question?.hold();
    atWork += 1;
    const answered = guard(client, method, over.signal, options, () => answer(handler, context)).finally(
      () => {
        atWork -= 1;
        release?.();
      },
    );
    return Promise.race([answered, ended.promise]);
  };
  const orRefuse = <T>(answer: T | typeof DECLINED): T => {
    if (answer !== DECLINED) return answer;
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InternalError, "The client declined to answer.");
  };
  if (base.elicit)
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      const elicitation = readElicitation(params);
      if (elicitation.mode === "url" && elicitation.url === undefined) {
        log("warn", "The server asks to open an address that is neither https nor on this machine.", {
          server,
        });
        return { action: "decline" } satisfies ElicitationAnswer;
      }
      const answer = await ask("elicit", mcpReq, async (elicit, context) => elicit?.(elicitation, context));
      if (answer === DECLINED) return { action: "decline" } satisfies ElicitationAnswer;
      return { ...(answer ?? ({ action: "cancel" } satisfies ElicitationAnswer)) };
    });
  if (base.sample)
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
      const answer = await ask("sample", mcpReq, async (sample, context) => sample?.({ ...params }, context));
      return orRefuse(answer) as unknown as CreateMessageResult; // the SDK checks it before it is sent
    });
  if (base.roots)
    client.setRequestHandler("roots/list", async (_request, { mcpReq }) => {
      const answer = await ask("roots", mcpReq, async (list, context) => {
        const roots = (await list?.(context)) ?? [];
        return roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name }));
      });
      return { roots: orRefuse(answer) };
    });
}

/** One after the other, because a server can ask a thousand times during a thousand calls. */
async function allSettled(calls: readonly AskingCall[]): Promise<void> {
  for (const { outcome } of calls) await outcome.catch(() => {});
}

const DECLINED_BECAUSE =
  "A question of the server was declined: its call has ended, or it may belong to calls of different users or with different handlers.";

/**
 * Handles errors of the host's handlers. The server learns that a handler failed, with the code if the host chose one, but not why. A
 * modern server asks within an answer, so only the caller can be told. `over`: fired once nobody waits for the answer.
 */
async function guard<T>(
  client: Client,
  method: string,
  over: AbortSignal,
  { sdk, server, log }: ServerRequestOptions,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (!over.aborted)
      log("warn", `The host's handler for "${method}" failed.`, { server, error: thrownText(error) });
    const code = readRpcCode(error);
    if (client.getProtocolEra() === "modern") throw unansweredError(server, method, code, error);
    throw new sdk.ProtocolError(code ?? sdk.ProtocolErrorCode.InternalError, "The client could not answer.");
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
    : { message, mode, url: addressToOpen(url) };
}
