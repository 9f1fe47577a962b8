import { expect, test } from "vitest";
import { withoutReservedHeaders } from "../../src/http/message-headers.ts";

test("[X5] a configured header cannot replace a reserved one, in any letter case", () => {
  expect(
    withoutReservedHeaders({
      "Content-Type": "text/plain",
      aCCept: "*/*",
      "MCP-Protocol-Version": "1999-01-01",
      "mcp-session-id": "stolen",
      "Mcp-Param-Region": "x",
      Host: "elsewhere",
      Authorization: "Bearer token",
      "X-Api-Key": "key",
    }),
  ).toEqual({ Authorization: "Bearer token", "X-Api-Key": "key" });
});
