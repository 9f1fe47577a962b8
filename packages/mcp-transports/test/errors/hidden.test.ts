import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { lossError, outdatedPriorError } from "../../src/errors/loss-error.ts";
import { openingError } from "../../src/errors/opening-error.ts";
import { abortedError, requestError } from "../../src/errors/request-error.ts";

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

describe("what a channel says must not be shown", () => {
  const facts = { secrets: [SECRET], fault: thrown, stderr: `lost ${SECRET}` };
  test.each([
    ["is lost", () => lossError({ server, facts })],
    ["was outdated", () => outdatedPriorError({ server, facts }, thrown)],
    ["could not be opened", () => openingError(thrown, { server, facts, connectTimeoutMs: 1 })],
    ["was given up", () => abortedError(thrown, { ...request, facts })],
    ["failed", () => requestError(thrown, { ...request, facts })],
  ])("does not stand in the error of what %s", (_, create) => {
    const error = create();
    expect(inspect(error, { depth: 6 })).not.toContain(SECRET);
    expect(JSON.stringify(error)).not.toContain(SECRET);
  });
});
