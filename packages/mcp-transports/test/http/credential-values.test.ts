import type { AuthPort } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { on, startHttpServer } from "../http-server.ts";

const CALL = { name: "echo" };

describe("an auth port in plain JavaScript", () => {
  const portWith = (headers: object): AuthPort => ({
    headers: async () => headers as Record<string, string>,
    onChallenge: async () => "fail",
  });

  test.each<[unknown, string | undefined]>([
    [5, "5"],
    [0, "0"],
    [false, "false"],
    [["a", 1, null], "a, 1"],
    [[], undefined],
    [undefined, undefined],
    [null, undefined],
  ])("that returns %j as a header value sends %j", async (value, sent) => {
    const server = await startHttpServer();
    const session = await connect(server, { auth: portWith({ "x-tenant": value }) });
    expect(await session.request("tools/call", CALL)).toMatchObject({ content: [{ text: "done" }] });
    expect(server.log.map(({ headers }) => headers["x-tenant"])).toEqual(server.log.map(() => sent));
  });

  test.each([
    ["a Headers object", new Headers({ "X-Tenant": "acme" })],
    ["a Map", new Map([["X-Tenant", "acme"]])],
  ])("that returns %s sends its headers", async (_, headers) => {
    const server = await startHttpServer();
    await connect(server, { auth: portWith(headers) });
    expect(server.log.map((sent) => sent.headers["x-tenant"])).toEqual(server.log.map(() => "acme"));
  });

  test.each([[{}], [Symbol("key")], [() => "key"]])(
    "that returns %s as a header value fails the connection before anything is sent",
    async (value) => {
      const server = await startHttpServer();
      const error = await failToConnect(server, { auth: portWith({ "x-tenant": value }) });
      expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", outcome: "not-sent" });
      expect(error.message).toContain('the header "x-tenant" has no text as its value');
      expect(server.log).toEqual([]);
    },
  );

  test("that returns a number: a call can be aborted and the session closed", async () => {
    const aborting = new AbortController();
    const server = await startHttpServer(
      on("tools/call", () => {
        aborting.abort();
        return true;
      }),
    );
    const session = await connect(server, { auth: portWith({ "x-tenant": 5 }) });
    const error = await failureOf(session.request("tools/call", CALL, { signal: aborting.signal }));
    expect(error.code).toBe("MCP_ABORTED");
    await session.close();
  });
});
