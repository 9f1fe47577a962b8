import { describe, expect, it } from "vitest";
import { ownCredentials } from "../src/index.ts";

describe("the own credentials of a server entry", () => {
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
  ])("with the URL %s and the headers %j: %s", (url, headers, found) => {
    expect(ownCredentials({ url, headers: { ...headers } })).toBe(found);
  });
});
