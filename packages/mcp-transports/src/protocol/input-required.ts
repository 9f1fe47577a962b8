import { setTimeout as delay } from "node:timers/promises";
import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import type { ClientCapabilities } from "@modelcontextprotocol/client";
import { ProtocolFault, RpcError, URL_ELICITATION_REQUIRED } from "../faults.ts";
import { ENVELOPE_KEYS } from "./handshake.ts";
import { NextRound, type PendingRequest } from "./pending-request.ts";
import { isText } from "./results.ts";
import type { ServerRequests } from "./server-requests.ts";

/** A modern server that asks more often than this for one request will never answer it. */
const MOST_ROUNDS = 5;
/** The longest `requestState` that is sent back, in characters: the client keeps it, as often as the server asks. */
const LONGEST_STATE = 64 * 1024;
/** How long to wait before a request that the server only wants again, in milliseconds. */
const AGAIN_AFTER_MS = 250;

/** Parameters together with the answers to earlier questions. */
export function withAnswers(
  params: JsonObject,
  inputResponses: { readonly [key: string]: JsonObject } | undefined,
  requestState: string | undefined,
): JsonObject {
  if (inputResponses === undefined && requestState === undefined) return params;
  return {
    ...params,
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/**
 * Announces in one request that the client can be asked. A server asks only if the request's own capabilities allow it (MCP
 * 2026-07-28), and a caller that takes the questions itself needs no handler for them.
 */
export function askable(meta: JsonObject | undefined, announced: JsonObject): JsonObject {
  const capabilities: ClientCapabilities = { ...announced, elicitation: { form: {}, url: {} } };
  return { [ENVELOPE_KEYS.clientCapabilities]: capabilities, ...meta };
}

/** The questions in a result that asks for input. */
export interface Questions {
  readonly inputRequests: { readonly [key: string]: unknown };
  readonly requestState: string | undefined;
}

/**
 * Reads a result that asks for input (MCP 2026-07-28, "Multi Round-Trip Requests").
 *
 * @throws ProtocolFault
 */
export function readQuestions({ inputRequests, requestState }: JsonObject): Questions {
  const asked = isRecord(inputRequests) ? inputRequests : {};
  const state = isText(requestState) ? requestState : undefined;
  if (state !== undefined && state.length > LONGEST_STATE)
    throw new ProtocolFault(
      "state-exceeded",
      `its "requestState" is longer than ${LONGEST_STATE} characters`,
    );
  if (Object.keys(asked).length === 0 && state === undefined)
    throw new ProtocolFault("invalid", "it asks for input, but names neither questions nor a state");
  return { inputRequests: asked, requestState: state };
}

/** Has the host answer all questions of one round, and makes the request of the next. */
export async function answerQuestions(
  { inputRequests, requestState }: Questions,
  request: PendingRequest,
  host: ServerRequests,
): Promise<NextRound> {
  request.rounds += 1;
  if (request.rounds > MOST_ROUNDS)
    throw new ProtocolFault("rounds-exceeded", `it asked more than ${MOST_ROUNDS} times`);
  const { signal } = request;
  const keys = Object.keys(inputRequests);
  if (keys.length === 0) {
    await delay(AGAIN_AFTER_MS, undefined, { signal });
    return new NextRound(withAnswers(request.request.params, undefined, requestState), request.headers);
  }
  const failed = new AbortController();
  const asked = AbortSignal.any([signal, failed.signal]);
  try {
    const responses = await Promise.all(
      keys.map(async (key) => [key, await host.answerInput(inputRequests[key], request, asked)] as const),
    );
    const inputResponses = Object.fromEntries(responses);
    return new NextRound(withAnswers(request.request.params, inputResponses, requestState), request.headers);
  } catch (error) {
    failed.abort(error); // the others are no longer needed
    throw error;
  }
}

/** What a server wants opened before it answers (MCP 2025-11-25, error -32042). */
export function requiredUrls(data: unknown): readonly JsonObject[] {
  return isRecord(data) && Array.isArray(data.elicitations) ? data.elicitations.filter(isRecord) : [];
}

/** Has the user open the addresses that are required. */
export async function openRequiredUrls(
  data: unknown,
  request: PendingRequest,
  host: ServerRequests,
): Promise<NextRound> {
  for (const params of requiredUrls(data)) {
    const question = { method: "elicitation/create", params };
    const { action } = await host.answerInput(question, request, request.signal);
    if (action !== "accept")
      throw new RpcError({
        code: URL_ELICITATION_REQUIRED,
        message: "an address that it names was not opened",
        data,
      });
  }
  return new NextRound(request.request.params, request.headers);
}

/** White space and controls never occur in a URL. The URL standard silently drops some, so they can disguise an address. */
const NEVER_IN_A_URL = String.raw`[\p{Cc}\p{Cf}\p{Z}]`;

/** Hosts of this machine, as the URL standard writes them. */
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The address that the user may be asked to open, as the URL standard writes the one that the server gave: what is checked is what is
 * handed over, so no other parser can read another host in it, and a host that imitates another one is in Punycode. `undefined` for
 * anything but https, or http on this machine, without a user name or password. This is an allowlist, because every program on a machine
 * may have registered a scheme of its own (MCP, "URL mode elicitation"; `mcp-auth` has the same rule for logins).
 */
export function addressToOpen(written: unknown): string | undefined {
  if (typeof written !== "string" || new RegExp(NEVER_IN_A_URL, "u").test(written)) return undefined;
  const url = URL.parse(written);
  if (url?.username !== "" || url.password !== "") return undefined;
  const isAllowed =
    url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK_HOST.test(url.hostname));
  return isAllowed ? url.href : undefined;
}
