import { isMcpError } from "@jackfield/mcp-core";
import type { ModelSettings } from "./agent-framework.ts";

/** What is known of a failed answer besides its error. */
export interface FailedAnswer {
  /** Whether a part of the answer had already come. */
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
    : `${model} did not answer: ${reason}. ${settings.isBaseUrlGiven ? "Check OPENAI_BASE_URL." : "Check the network."}`;
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

function statusOf({ statusCode, status }: Link): number | undefined {
  return [statusCode, status].find((value) => typeof value === "number");
}

/** An answer that breaks off has a status of success. */
function isRefusal(link: Link): boolean {
  return (statusOf(link) ?? 0) >= 400;
}

/** The first line of a message, without the status that the OpenAI client puts in front, and without secrets. */
function reasonOf(error: unknown, settings: ModelSettings): string {
  const { message } = (typeof error === "object" && error !== null ? error : {}) as Link;
  const text = typeof message === "string" ? message : typeof error === "string" ? error : "";
  const [line = ""] = text.trim().split(/[\r\n]/, 1);
  const reason = line.replace(/^\d{3} (?=\S)/, "").replace(/\.?\s*$/, "");
  return withoutSecrets(reason, settings) || "it gave no reason";
}

/** Shorter values are stand-ins for a key, or part of ordinary words. */
const SHORTEST_SECRET = 8;

/** A server may repeat the key or the URL that it was sent. */
function withoutSecrets(text: string, { apiKey, baseUrl }: ModelSettings): string {
  const secrets = [apiKey, ...new URL(baseUrl).searchParams.values()];
  return secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}
