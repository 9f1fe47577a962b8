import { createFakeToolSource } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { aiSdkCallSettings, aiSdkLiveTools, aiSdkTools } from "../src/index.ts";

it.each([
  ["aiSdkTools", aiSdkTools],
  ["aiSdkLiveTools", aiSdkLiveTools],
  ["aiSdkCallSettings", aiSdkCallSettings],
])("%s refuses an option that it would ignore, and names the one that was meant", (_name, make) => {
  const given = (options: object) => () => make(createFakeToolSource([]), options);
  expect(given({ includes: ["x"] })).toThrow(/"includes".*"include"/);
  expect(given({ throwError: true })).toThrow(expect.objectContaining({ code: "MCP_CONFIG_INVALID" }));
  expect(given({ principal: "" })).toThrow(/"principal"/);
  expect(given({ include: undefined })).not.toThrow();
});
