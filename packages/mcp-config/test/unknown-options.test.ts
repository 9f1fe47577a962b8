import { useLeakCheck } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import {
  createServerResolver,
  discoverServers,
  findServers,
  loadServers,
  parseHostFile,
} from "../src/index.ts";

useLeakCheck();

/** Options as JavaScript may give them. */
const untyped = (options: object) => options as never;

test.each([
  ["discoverServers", () => discoverServers(untyped({ host: ["cursor"] })), "hosts"],
  ["discoverServers", () => discoverServers(untyped({ hosts: [], admitted: () => true })), "admit"],
  ["discoverServers", () => discoverServers(untyped({ hosts: [], remarks: "yes" })), "remarks"],
  ["findServers", () => findServers(untyped({ hosts: [], admit: () => true })), "admit"],
  ["loadServers", () => loadServers(untyped({ file: ["mcp.json"] })), "files"],
  ["parseHostFile", () => parseHostFile(untyped({ host: "cursor", file: "a", txt: "{}" })), "text"],
  ["createServerResolver", async () => createServerResolver(untyped({ inherit: true })), "inheritEnv"],
  ["createServerResolver", async () => createServerResolver(untyped({ missingVariable: "ask" })), "fail"],
  [
    "createServerResolver",
    async () => createServerResolver(untyped({ runCommands: { timeout: 5 } })),
    "runCommands.timeoutMs",
  ],
])(
  "%s refuses an option that it would ignore, and names the one that was meant",
  async (_name, call, meant) => {
    await expect(call()).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining(meant),
    });
  },
);
