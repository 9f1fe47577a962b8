import type { IncomingMessage } from "node:http";
import type { CallbackPage } from "./callback-page.ts";

/** Codes and issuers are far shorter; whatever is longer is no answer. */
const LONGEST_VALUE = 8_192;
const LONGEST_SHOWN_ERROR = 300;
const HTTP_PORT = 80;

/** What somebody sent to the callback server. The state of an answer or a refusal has not been compared yet. */
export type CallbackHit =
  | {
      readonly kind: "answer";
      readonly state: string;
      readonly code: string;
      readonly iss: string | undefined;
    }
  | {
      readonly kind: "refusal";
      readonly state: string;
      /** What is refused (RFC 6749, section 4.1.2.1), as it was sent; not to be shown. */
      readonly code: string;
      readonly error: string;
      readonly iss: string | undefined;
    }
  | { readonly kind: "stray"; readonly page: Exclude<CallbackPage, "done"> };

/** Where the answer is expected. */
export interface CallbackPlace {
  readonly path: string;
  readonly port: number;
}

/** Reads a request. One with a parameter twice is no answer: two readers could see two different ones. */
export function readCallbackHit(request: IncomingMessage, { path, port }: CallbackPlace): CallbackHit {
  if (!isForUs(request, port)) return stray("refused");
  const { pathname, query } = splitTarget(request.url ?? "");
  if (pathname !== path) return stray("unknown");
  if (request.method !== "GET") return stray("method");
  return readAnswer(new URLSearchParams(query)) ?? stray("refused");
}

function stray(page: Exclude<CallbackPage, "done">): CallbackHit {
  return { kind: "stray", page };
}

/** A page of another site that has made its name lead here sends that name. */
function isForUs(request: IncomingMessage, port: number): boolean {
  const hosts = request.headersDistinct.host ?? [];
  const [host = ""] = hosts;
  // Nobody sends the port that http has anyway.
  const written = port === HTTP_PORT && !host.includes(":") ? `${host}:${port}` : host;
  return hosts.length === 1 && (written === `127.0.0.1:${port}` || written === `localhost:${port}`);
}

function splitTarget(target: string): { pathname: string; query: string } {
  const mark = target.indexOf("?");
  return mark < 0
    ? { pathname: target, query: "" }
    : { pathname: target.slice(0, mark), query: target.slice(mark + 1) };
}

function readAnswer(parameters: URLSearchParams): CallbackHit | undefined {
  const names = ["state", "code", "iss", "error", "error_description"] as const;
  const given = names.map((name) => parameters.getAll(name));
  if (given.some((values) => values.length > 1 || (values[0]?.length ?? 0) > LONGEST_VALUE)) return undefined;
  const [[state], [code], [iss], [error], [description]] = given as [
    string[],
    string[],
    string[],
    string[],
    string[],
  ];
  if (!state || Boolean(code) === Boolean(error)) return undefined;
  if (code) return { kind: "answer", state, code, iss };
  const words = cleaned([error, description].filter(Boolean).join(": "));
  return { kind: "refusal", state, code: error ?? "", iss, error: words };
}

/** Text of a stranger, fit for a terminal: no controls, nothing invisible, one line, not long. */
function cleaned(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.length > LONGEST_SHOWN_ERROR ? `${line.slice(0, LONGEST_SHOWN_ERROR)}…` : line;
}
