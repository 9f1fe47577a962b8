import { readFaultRecord, stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";

useLeakCheck();

const USERS = Array.from({ length: 12 }, (_, at) => `user-${at}`);

describe("users of one runtime", () => {
  it("share one process per shared server", async () => {
    using folder = temporaryFolder();
    const names = ["a", "b", "c"];
    const records = names.map((name) => folder.file(name));
    const servers = Object.fromEntries(
      names.map((name, at) => [name, { ...stdioFaultServer({ recordTo: records[at] }), shared: true }]),
    );
    const mcp = await openMcp({ servers, discover: false, cache: { path: folder.file("cache") } });
    try {
      const users = await Promise.all(USERS.map((user) => mcp.forPrincipal(user)));
      for (const { report } of users) expect(report.ready.length + report.cached.length).toBe(3);
      const answers = await Promise.all(
        users.flatMap((user, at) => names.map((server) => user.callTool({ server, tool: "echo" }, { at }))),
      );
      expect(answers).toHaveLength(USERS.length * 3);
      for (const record of records) {
        const events = readFaultRecord(record);
        expect(events.filter(({ event }) => event === "started")).toHaveLength(1);
        const calls = events.filter((one) => one.event === "received" && one.method === "tools/call");
        expect(calls).toHaveLength(USERS.length);
      }
    } finally {
      await mcp.close();
    }
  });

  it("otherwise have their own processes with their own token, ended by their own close()", async () => {
    using folder = temporaryFolder();
    const recordTo = folder.file("record");
    const { command, args, env } = stdioFaultServer({ recordTo, echoEnvironment: true });
    const mcp = await openMcp({
      servers: { mail: { command, args, lazy: true } },
      discover: false,
      cache: false,
      resolve: async ({ name }, { principal = "nobody" }) => {
        const token = `token-of-${principal}`;
        return { name, transport: "stdio", command, args, env: { ...env, TOKEN: token }, secrets: [token] };
      },
    });
    try {
      const [ann, bob] = await Promise.all([mcp.forPrincipal("ann"), mcp.forPrincipal("bob")]);
      const tokenOf = async (user: typeof ann) => {
        const answer = await user.callTool({ server: "mail", tool: "environment" });
        return (answer.structuredContent as { readonly TOKEN?: string } | undefined)?.TOKEN;
      };
      expect(await Promise.all([tokenOf(ann), tokenOf(bob)])).toEqual(["token-of-ann", "token-of-bob"]);
      const ends = () => readFaultRecord(recordTo).filter(({ event }) => event === "ended").length;
      await ann.close();
      expect(ends()).toBe(1);
      expect(await tokenOf(bob)).toBe("token-of-bob");
      expect(mcp.servers()).toMatchObject([{ status: "idle" }]);
    } finally {
      await mcp.close();
    }
  });
});
