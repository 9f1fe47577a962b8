import { isMcpError } from "@jackfield/mcp-core";
import type { ModelSettings } from "./agent-framework.ts";

/** What is known of a failed answer besides its error. */
export interface FailedAnswer {
  /** Whether a part of the answer, text or a call, had already come. */
  readonly hasBegun: boolean;
}

/**
 * An error of a framework as one of a single line that names the model's host and what to do. Errors of the runtime stay as they are.
 */
export function modelError(error: unknown, settings: ModelSettings, { hasBegun }: FailedAnswer): unknown {
  if (isMcpError(error)) return error;
  const model = `The model at ${new URL(settings.baseUrl).host}`;
  const chain = chainOf(error);
  const refusal = chain.find(isRefusal);
  if (refusal !== undefined) {
    const status = statusOf(refusal) ?? 0;
    const verb = status < 500 ? "refused" : "failed";
    const said = `${model} ${verb} (HTTP ${status}): ${reasonOf(refusal, settings)}.`;
    return new Error([said, ...adviceOn(status, settings)].join(" "), { cause: error });
  }
  // What failed while an answer was read is the cause; the error itself says only that the answer was read.
  const reason = reasonOf(chain.find((link) => statusOf(link) === undefined) ?? error, settings);
  const message = hasBegun
    ? `${model} broke off its answer: ${reason}. Try again.`
    : chain.some(isNetworkFailure)
      ? `${model} did not answer: ${reason}. ${settings.isBaseUrlGiven ? "Check OPENAI_BASE_URL." : "Check the network."}`
      : `${model} failed: ${reason}.`;
  return new Error(message, { cause: error });
}

function adviceOn(status: number, { isBaseUrlGiven }: ModelSettings): readonly string[] {
  if (status === 401 || status === 403) return ["Check OPENAI_API_KEY."];
  if (status === 404)
    return [`Choose another model with --model${isBaseUrlGiven ? ", or check OPENAI_BASE_URL" : ""}.`];
  return status === 429 ? ["Wait a while, then try again."] : [];
}

interface Link {
  readonly message?: unknown;
  /** The last of several attempts of the AI SDK. */
  readonly lastError?: unknown;
  readonly cause?: unknown;
  /** The HTTP status: the AI SDK's name for it, and the OpenAI client's. */
  readonly statusCode?: unknown;
  readonly status?: unknown;
  /** The code of a failed connection, or of an error that the model sent in its stream. */
  readonly code?: unknown;
  /** That error as it was sent. */
  readonly error?: unknown;
}

/** The errors that an error wraps, from the outside in. Repeated attempts count as the last one. */
function chainOf(error: unknown): readonly Link[] {
  const chain: Link[] = [];
  let link = error;
  while (typeof link === "object" && link !== null && !chain.includes(link)) {
    const { lastError, cause }: Link = link;
    if (lastError === undefined) chain.push(link);
    link = lastError ?? cause;
  }
  return chain;
}

function statusOf({ statusCode, status, code, error }: Link): number | undefined {
  const given = [statusCode, status].find((value) => typeof value === "number");
  const sent = typeof error === "object" && error !== null ? (error as Link).code : undefined;
  return given ?? [code, sent].find(isErrorStatus);
}

/** A service may have numbers of its own for its errors. */
function isErrorStatus(code: unknown): code is number {
  return typeof code === "number" && code >= 400 && code < 600;
}

/** An answer that breaks off has a status of success. */
function isRefusal(link: Link): boolean {
  return (statusOf(link) ?? 0) >= 400;
}

/** The AI SDK puts its own message in the place of `fetch`'s. */
const FAILED_CONNECTION = /^(?:fetch failed|Cannot connect to API)\b/;
/** The codes of the system, of its resolver of names, and of the client below `fetch`. */
const NETWORK_CODE = /^(?:E[A-Z0-9]+|EAI_[A-Z]+|UND_ERR_[A-Z_]+)$/;

function isNetworkFailure({ message, code }: Link): boolean {
  return (
    (typeof message === "string" && FAILED_CONNECTION.test(message)) ||
    (typeof code === "string" && NETWORK_CODE.test(code))
  );
}

/** The first line of a message, without the status that the OpenAI client puts in front, and without secrets. */
function reasonOf(error: unknown, settings: ModelSettings): string {
  const { message } = (typeof error === "object" && error !== null ? error : {}) as Link;
  const text = typeof message === "string" ? message : typeof error === "string" ? error : "";
  const [line = ""] = text.trim().split(/[\r\n]/, 1);
  const reason = line
    .trimEnd()
    .replace(/^\d{3} (?=\S)/, "")
    .replace(/\.$/, "");
  return withoutSecrets(reason, settings) || "it gave no reason";
}

/** Shorter values are stand-ins for a key, or part of ordinary words. */
const SHORTEST_SECRET = 8;

/** A server may repeat the key or the URL that it was sent. The longest come first: one may be the beginning of another. */
function withoutSecrets(text: string, { apiKey, baseUrl }: ModelSettings): string {
  return [apiKey, ...queryValues(new URL(baseUrl))]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}

/** The values of a URL's query: decoded, as they are written, and as clients encode them that write the query anew. */
function queryValues({ search, searchParams }: URL): readonly string[] {
  const form = searchParams.toString();
  // The OpenAI client encodes all but the characters that RFC 3986 calls unreserved.
  const strict = form.replaceAll("+", "%20").replaceAll("%7E", "~").replaceAll("*", "%2A");
  const pairs = [search.slice(1), form, strict].flatMap((query) => query.split("&"));
  return [...searchParams.values(), ...pairs.map((pair) => pair.slice(pair.indexOf("=") + 1))];
}
