import { expect, it } from "vitest";
import * as core from "../src/index.ts";

it("offers exactly these values; everything else is a type", () => {
  expect(Object.keys(core).sort()).toEqual([
    "DEFAULT_LIMITS",
    "ERROR_CODES",
    "McpError",
    "REDACTED",
    "isInputRequired",
    "isMcpError",
    "ownCredentials",
    "parseRetryAfter",
    "redact",
    "silentLogger",
    "thrownMessage",
    "thrownText",
    "toMcpError",
  ]);
});
