import type { IncomingMessage } from "node:http";
import type { CallbackPage } from "./callback-server.ts";

/** Codes and issuers are far shorter. A request with a longer value is refused. */
const LONGEST_VALUE = 8_192;
const LONGEST_SHOWN_ERROR = 300;
const HTTP_PORT = 80;

/** A request to the callback server. The state of an answer or a refusal has not been compared yet. */
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
      /** The `error` parameter (RFC 6749, section 4.1.2.1) as sent; not to be shown. */
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

/** Reads a request. One that repeats a parameter is refused, because two readers could see different values. */
export function readCallbackHit(request: IncomingMessage, { path, port }: CallbackPlace): CallbackHit {
  if (!isForUs(request, port)) return stray("refused");
  const { pathname, query } = splitTarget(request.url ?? "");
  if (pathname !== path) return stray("unknown");
  if (request.method !== "GET") return stray("method");
  return readAuthorizationResponse(new URLSearchParams(query)) ?? stray("refused");
}

function stray(page: Exclude<CallbackPage, "done">): CallbackHit {
  return { kind: "stray", page };
}

/** Guards against DNS rebinding: a page of a site whose name resolves to this machine sends that name as `Host`. */
function isForUs(request: IncomingMessage, port: number): boolean {
  const hosts = request.headersDistinct.host ?? [];
  const [host = ""] = hosts;
  // Clients omit http's default port.
  const written = port === HTTP_PORT && !host.includes(":") ? `${host}:${port}` : host;
  return hosts.length === 1 && (written === `127.0.0.1:${port}` || written === `localhost:${port}`);
}

function splitTarget(target: string): { pathname: string; query: string } {
  const mark = target.indexOf("?");
  return mark < 0
    ? { pathname: target, query: "" }
    : { pathname: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Reads the parameters of an authorization response; `undefined` if it is none, or could be read in two ways. */
export function readAuthorizationResponse(
  parameters: URLSearchParams,
): Exclude<CallbackHit, { kind: "stray" }> | undefined {
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

/** The source of a pattern that only refusals need: its set of characters takes long to build. */
const UNSEEN = String.raw`[\p{C}\p{Z}]+`;

/** Makes untrusted text safe for a terminal: one line, cut, without control or invisible characters. */
function cleaned(text: string): string {
  const line = text.replace(new RegExp(UNSEEN, "gu"), " ").trim();
  return line.length > LONGEST_SHOWN_ERROR ? `${line.slice(0, LONGEST_SHOWN_ERROR)}…` : line;
}
