import type { ServerResponse } from "node:http";

/** Which of the fixed pages is shown. */
export type CallbackPage = "done" | "refused" | "unknown" | "method";

const PAGES: { readonly [page in CallbackPage]: readonly [status: number, sentence: string] } = {
  done: [200, "The response was received. You can close this window and return to your program."],
  refused: [400, "This is not the expected response. Nothing has changed."],
  unknown: [404, "There is nothing here."],
  method: [405, "This method is not allowed here."],
};

/** Forbids scripts, framing, caching and a `Referer`. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  connection: "close",
} as const;

/** Sends one of the pages. None of them contains anything of the request. */
export function sendPage(response: ServerResponse, page: CallbackPage): void {
  const [status, sentence] = PAGES[page];
  const title = page === "done" ? "Login" : "Not found";
  response.writeHead(status, { ...HEADERS, ...(page === "method" && { allow: "GET" }) });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><p>${sentence}</p></html>\n`,
  );
}
