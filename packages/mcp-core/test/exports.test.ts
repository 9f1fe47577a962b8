import { expect, it } from "vitest";
import * as core from "../src/index.ts";

it("the package exports exactly these values", () => {
  expect(Object.keys(core).sort()).toEqual([
    "DEFAULT_LIMITS",
    "ERROR_CODES",
    "McpError",
    "REDACTED",
    "canonicalJson",
    "isInputRequired",
    "isMcpError",
    "ownCredentials",
    "parseRetryAfter",
    "redact",
    "silentLogger",
    "thrownMessage",
    "thrownText",
    "toMcpError",
    "toolDigest",
  ]);
});
