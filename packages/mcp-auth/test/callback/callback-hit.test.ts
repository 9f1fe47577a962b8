import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { readCallbackHit } from "../../src/callback/callback-hit.ts";

const requestTo = (host: string) =>
  ({
    headersDistinct: { host: [host] },
    method: "GET",
    url: "/cb?code=c&state=s",
  }) as unknown as IncomingMessage;

test.each([
  ["localhost", 80, "answer"],
  ["127.0.0.1", 80, "answer"],
  ["localhost:80", 80, "answer"],
  ["localhost", 8_080, "stray"],
  ["evil.example", 80, "stray"],
])("a request with host %s on port %d is classified as %s", (host, port, kind) => {
  expect(readCallbackHit(requestTo(host), { path: "/cb", port }).kind).toBe(kind);
});
