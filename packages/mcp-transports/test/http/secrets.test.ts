import type { silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { failureOf } from "../connecting.ts";
import { on, startHttpServer } from "../http-server.ts";
import { connectTo, ECHO, refusalOf, startRemote } from "./remote.ts";

describe("secrets", () => {
  test("[T50] in a URL, a header or a session id appear in no error and no log", async () => {
    const remote = await startRemote({ sessionId: "session-abcdef" });
    const lines: string[] = [];
    const log: typeof silentLogger = (...line) => lines.push(JSON.stringify(line));
    const url = `${remote.url.replace("//", "//user-123456:pass-123456@")}?token=query-123456`;
    const headers = { "X-Api-Key": "key-123456" };
    const secrets = ["user-123456", "pass-123456", "query-123456", "key-123456"];
    const session = await connectTo(remote, { url, headers, secrets, log });
    remote.setScript({ on: { "tools/call": { reply: { status: 500, body: "key-123456 session-abcdef" } } } });
    const error = await failureOf(session.request("tools/call", ECHO));
    remote.loseSessions();
    const lost = await failureOf(session.request("tools/call", ECHO));
    const shown = [...lines, JSON.stringify([error, lost]), error.stack, lost.stack].join("\n");
    for (const secret of [...secrets, "session-abcdef"]) expect(shown).not.toContain(secret);
  });

  test("[T44] in an invalid header are not shown by the configuration error", async () => {
    const error = await refusalOf({}, { headers: { "X-Api-Key": "key-123456\r\nX-Evil: y" } });
    expect(error.code).toBe("MCP_CONFIG_INVALID");
    expect(error.message).toContain("X-Api-Key");
    expect(error.message).not.toContain("key-123456");
  });

  test.each([200, 400])(
    "[T50] that the server repeats in a JSON-RPC error with HTTP %d are redacted",
    async (code) => {
      const server = await startHttpServer(
        on("tools/call", ({ request: { headers }, message, status }) => {
          const said = `session ${headers["mcp-session-id"]}, authorization ${headers.authorization}`;
          const error = { code: -32600, message: said };
          const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, error });
          status(code, { "content-type": "application/json" }, body);
        }),
      );
      const session = await connectTo({ url: server.url.replace("//", "//ada:pass-123456@") });
      const error = await failureOf(session.request("tools/call", ECHO));
      const shown = `${error.stack} ${JSON.stringify(error)}`;
      expect(error.rpcCode).toBe(-32600);
      expect(shown).toContain("authorization Basic");
      expect(shown).not.toContain("session-1");
      expect(shown).not.toContain(Buffer.from("ada:pass-123456").toString("base64"));
    },
  );

  test.each([
    ["ada:pass%20word", {}, "ada:pass word"],
    [":%zz", {}, ":%zz"],
    ["ada:pass", { authorization: "Bearer own" }, undefined],
  ])(
    "the URL's login %s is sent as Basic unless the entry sets Authorization; the auth port is not asked",
    async (login, headers, sent) => {
      const server = await startHttpServer();
      const url = server.url.replace("//", `//${login}@`);
      const auth = { headers: vi.fn(async () => ({ authorization: "Bearer stored" })), onChallenge: vi.fn() };
      for (const http of [undefined, { fetch: globalThis.fetch }])
        await connectTo({ url }, { headers, http, auth });
      expect(auth.headers).not.toHaveBeenCalled();
      const expected = sent === undefined ? "Bearer own" : `Basic ${Buffer.from(sent).toString("base64")}`;
      expect(new Set(server.log.map(({ headers: { authorization } }) => authorization))).toEqual(
        new Set([expected]),
      );
    },
  );

  test.each(["ada", "ada:"])(
    "the URL's user %s without a password is not sent; the auth port's headers are",
    async (user) => {
      const login = { authorization: "Bearer stored" };
      for (const headers of [{}, login]) {
        const server = await startHttpServer();
        const url = server.url.replace("//", `//${user}@`);
        await connectTo({ url }, { auth: { headers: async () => headers, onChallenge: async () => "fail" } });
        const sent = server.log.map(({ headers: { authorization } }) => authorization);
        expect(new Set(sent)).toEqual(new Set([headers === login ? "Bearer stored" : undefined]));
      }
    },
  );

  test("a 401 names the configured credential to correct, and starts no login", async () => {
    const server = await startHttpServer(({ status }) => {
      status(401, { "www-authenticate": "Bearer" });
      return true;
    });
    const onChallenge = vi.fn();
    const url = server.url.replace("//", "//ada:pass-123456@");
    const auth = { headers: async () => ({}), onChallenge };
    const error = await failureOf(connectTo({ url }, { auth }));
    expect(error.message).toContain(
      "Correct the user and the password in its URL, or remove them and log in",
    );
    expect(onChallenge).not.toHaveBeenCalled();
    const own = { authorization: "Bearer own" };
    expect((await failureOf(connectTo({ url }, { headers: own }))).message).toContain(
      "Correct the credential that its entry sends as Authorization (a header, or the variable or key that its host uses for it), or remove it and log in, and connect again.",
    );
    const none = await failureOf(connectTo({ url: server.url }, {}));
    expect(none.message).toContain("Log in, or give its entry a valid Authorization header");
  });

  test.each([
    ["ada:pass-123456", "ada:pass-123456"],
    ["ada:p%C3%A4ss-123456", "ada:päss-123456"],
    ["ada:p%C3%A4ss-123456", "p%C3%A4ss-123456"],
    ["ada:p%C3%A4ss-123456", "päss-123456"],
    ["a%64a:pass1", "ada:pass1"],
    ["a%64a:pass1", "a%64a:pass1"],
  ])("of the login %s in a URL are redacted when the server says %s", async (login, said) => {
    const error = { code: -32600, message: `It is not for ${said}.` };
    const server = await startHttpServer(
      on("tools/call", ({ message, status }) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, error });
        status(200, { "content-type": "application/json" }, body);
      }),
    );
    const session = await connectTo({ url: server.url.replace("//", `//${login}@`) });
    const { message } = await failureOf(session.request("tools/call", ECHO));
    expect(message).toContain("It is not for [redacted].");
  });

  test("the Basic credential and the session id are redacted from the log", async () => {
    const sent = Buffer.from("ada:pass-123456").toString("base64");
    const server = await startHttpServer(
      on("tools/call", ({ request: { headers }, message, status }) => {
        const answer = { jsonrpc: "2.0", id: message.id, result: { content: [] } };
        const events = [sent, headers["mcp-session-id"], JSON.stringify(answer)];
        const body = events.map((data) => `data: ${data}\n\n`).join("");
        status(200, { "content-type": "text/event-stream" }, body);
      }),
    );
    const lines: string[] = [];
    const log: typeof silentLogger = (...line) => lines.push(JSON.stringify(line));
    const session = await connectTo({ url: server.url.replace("//", "//ada:pass-123456@") }, { log });
    await session.request("tools/call", ECHO);
    expect(lines.join("\n")).toContain("[redacted]");
    for (const secret of [sent, "session-1"]) expect(lines.join("\n")).not.toContain(secret);
  });

  test("[T50] a token of the auth port is redacted from errors and the log, also after its renewal", async () => {
    let token = "token-nr-1";
    const server = await startHttpServer(
      on("tools/call", ({ request: { headers }, message, status }) => {
        if (headers.authorization === "Bearer token-nr-1") return status(401);
        const said = `not token-nr-1, nor ${headers.authorization}`;
        const answer = { jsonrpc: "2.0", id: message.id, error: { code: -32600, message: said } };
        const body = [headers.authorization, JSON.stringify(answer)]
          .map((data) => `data: ${data}\n\n`)
          .join("");
        status(200, { "content-type": "text/event-stream" }, body);
      }),
    );
    const lines: string[] = [];
    const log: typeof silentLogger = (...line) => lines.push(JSON.stringify(line));
    const onChallenge = async () => {
      token = "token-nr-2";
      return "retry" as const;
    };
    const auth = { headers: async () => ({ authorization: `Bearer ${token}` }), onChallenge };
    const session = await connectTo(server, { auth, log });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error.message).toContain("not [redacted], nor [redacted]");
    const shown = `${error.stack} ${JSON.stringify(error)} ${lines.join("\n")}`;
    expect(shown).not.toContain("token-nr");
    expect(lines.join("\n")).toContain("[redacted]");
  });

  test("[T50] the ids of earlier sessions are redacted too", async () => {
    let begun = 0;
    const server = await startHttpServer(({ message, request: { headers }, status, answer }) => {
      const session = headers["mcp-session-id"];
      const serverInfo = { name: "remote", version: "1.0.0" };
      if (message?.method === "initialize") {
        begun += 1;
        const begin = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
        answer(begin, { "mcp-session-id": `session-number-${begun}` });
      } else if (message?.method !== "tools/call") return false;
      else if (session === "session-number-1") status(404);
      else {
        const error = { code: -32600, message: "not session-number-1, nor session-number-2" };
        const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, error });
        status(200, { "content-type": "application/json" }, body);
      }
      return true;
    });
    const session = await connectTo(server);
    const { message } = await failureOf(session.request("tools/call", ECHO));
    expect(message).toContain("not [redacted], nor [redacted]");
  });
});
