import { describe, expect, it } from "vitest";
import { ownCredentials } from "../src/index.ts";

describe("an entry's own credentials", () => {
  it.each([
    ["https://files.example/mcp", {}, undefined],
    ["https://ada@files.example/mcp", {}, undefined],
    ["https://ada:@files.example/mcp", {}, undefined],
    ["https://ada:pass@files.example/mcp", {}, "url"],
    ["https://:pass@files.example/mcp", {}, "url"],
    ["https://files.example/mcp", { "X-Api-Key": "1" }, undefined],
    ["https://files.example/mcp", { aUTHORIZATION: "Bearer 1" }, "header"],
    ["https://ada:pass@files.example/mcp", { Authorization: "Bearer 1" }, "header"],
    ["no URL", {}, undefined],
  ])("of %s with %j are in its %s", (url, headers, found) => {
    expect(ownCredentials({ url, headers: { ...headers } })).toBe(found);
  });
});
