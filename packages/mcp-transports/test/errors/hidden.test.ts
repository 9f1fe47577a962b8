import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { openingError } from "../../src/errors/opening-error.ts";
import { endError, lossError, outdatedPriorError, requestError } from "../../src/errors/request-error.ts";

const SECRET = "session-abcdef";
const server = {
  transport: "http",
  name: "remote",
  url: "http://127.0.0.1/",
  headers: {},
  secrets: [],
} as const;
const thrown = new Error(`it knows no ${SECRET}`);
const request = { server, method: "tools/call", tool: "echo", isWritten: true };

describe("the secrets of a channel", () => {
  const facts = { secrets: [SECRET], fault: thrown, stderr: `lost ${SECRET}` };
  test.each([
    ["a lost session", () => lossError({ server, facts })],
    ["an outdated prior handshake", () => outdatedPriorError({ server, facts }, thrown)],
    ["a failed opening", () => openingError(thrown, { server, facts, connectTimeoutMs: 1 })],
    ["an aborted request", () => endError({ kind: "aborted", reason: thrown }, { ...request, facts }, false)],
    ["a failed request", () => requestError(thrown, { ...request, facts })],
  ])("are absent from the error of %s", (_, create) => {
    const error = create();
    expect(inspect(error, { depth: 6 })).not.toContain(SECRET);
    expect(JSON.stringify(error)).not.toContain(SECRET);
  });
});
