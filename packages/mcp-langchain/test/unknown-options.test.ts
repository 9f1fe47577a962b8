import { createFakeToolSource } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { mcpMiddleware } from "../src/middleware.ts";

it.each([
  ["langchainTools", langchainTools],
  ["mcpMiddleware", mcpMiddleware],
])("%s refuses an option that it would ignore, and names the one that was meant", (_name, make) => {
  const given = (options: object) => () => make(createFakeToolSource([]), options);
  expect(given({ includes: ["x"] })).toThrow(/"includes".*"include"/);
  expect(given({ throwErrors: "yes" })).toThrow(expect.objectContaining({ code: "MCP_CONFIG_INVALID" }));
  expect(given({ include: undefined })).not.toThrow();
});
