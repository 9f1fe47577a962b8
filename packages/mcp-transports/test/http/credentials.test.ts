import { type AuthPort, McpError, type McpErrorDetails } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { createCredentials } from "../../src/http/credentials.ts";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { on, startHttpServer } from "../http-server.ts";

const never = { signal: new AbortController().signal };
const CALL = { name: "echo" };

describe("authorization", () => {
  const guarded = (accept: string) =>
    startHttpServer(({ request, status }) => {
      if (request.headers.authorization === accept) return undefined;
      status(401, { "www-authenticate": 'Bearer resource_metadata="https://as.example/"' });
      return true;
    });

  /** Hands out the first token, and the next one after a challenge. */
  const portWith = (...tokens: string[]) => {
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
      tokens.shift();
      return tokens.length > 0 ? "retry" : "fail";
    });
    const auth: AuthPort = { headers: async () => ({ authorization: `Bearer ${tokens[0]}` }), onChallenge };
    return { auth, onChallenge };
  };

  test("that is missing fails with MCP_AUTH_REQUIRED and a hint to log in", async () => {
    const error = await failToConnect(await guarded("Bearer good"));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", httpStatus: 401 });
    expect(error.message).toContain("Log in");
  });

  test("comes from the auth port with every request", async () => {
    const server = await guarded("Bearer good");
    const { auth, onChallenge } = portWith("good");
    const session = await connect(server, { auth });
    expect((await session.list("tools", never)).items).toHaveLength(1);
    expect(onChallenge).not.toHaveBeenCalled();
  });

  test("that has expired is renewed by one challenge, and the request is repeated", async () => {
    const server = await guarded("Bearer new");
    const { auth, onChallenge } = portWith("old", "new");
    await connect(server, { auth });
    expect(onChallenge).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ name: "remote" }),
      { status: 401, wwwAuthenticate: 'Bearer resource_metadata="https://as.example/"' },
      expect.any(AbortSignal),
    );
  });

  test("is requested again after onChallenge threw synchronously", async () => {
    let asked = 0;
    let isRefused = false;
    const server = await startHttpServer(({ message, status }) => {
      if (message?.method !== "tools/call" || !isRefused) return false;
      status(401, { "www-authenticate": "Bearer" });
      return true;
    });
    const onChallenge = () => {
      asked += 1;
      if (asked === 1) throw new Error("no keychain");
      isRefused = false;
      return Promise.resolve("retry" as const);
    };
    const session = await connect(server, { auth: { headers: async () => ({}), onChallenge } });
    isRefused = true;
    await failureOf(session.request("tools/call", CALL));
    expect(await session.request("tools/call", CALL)).toMatchObject({ content: [{ text: "done" }] });
    expect(asked).toBe(2);
  });

  test("that is refused again after its renewal is not tried a third time", async () => {
    const server = await guarded("Bearer other");
    const { auth, onChallenge } = portWith("old", "new");
    const error = await failToConnect(server, { auth });
    expect(error.code).toBe("MCP_AUTH_REQUIRED");
    expect(onChallenge).toHaveBeenCalledTimes(1);
    expect(server.log).toHaveLength(2);
  });

  test("[A22] in a configured header is not replaced by the auth port's", async () => {
    const server = await startHttpServer(undefined, { headers: { AUTHORIZATION: "Bearer mine" } });
    const { auth } = portWith("stored");
    await connect(server, { auth });
    expect(server.log[0]?.headers.authorization).toBe("Bearer mine");
  });

  test("that is refused during a session rejects the call", async () => {
    const server = await startHttpServer(on("tools/call", ({ status }) => status(401)));
    const error = await failureOf((await connect(server)).request("tools/call", CALL));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", httpStatus: 401, outcome: "rejected" });
  });
});

describe("an auth port that rejects during a session", () => {
  const DOWN = { code: "MCP_CONNECT_FAILED", httpStatus: 503, phase: "handshake" } as const;
  const down = (details: McpErrorDetails = {}) =>
    new McpError(DOWN.code, "The authorization server is down.", { ...DOWN, cause: CAUSE, ...details });
  const CAUSE = new Error("busy");

  test("fails the call as not-sent when its headers cannot be had", async () => {
    let isDown = false;
    const headers = async () => {
      if (isDown) throw down();
      return {};
    };
    const session = await connect(await startHttpServer(), {
      auth: { headers, onChallenge: async () => "fail" },
    });
    isDown = true;
    const error = await failureOf(session.request("tools/call", CALL));
    expect(error).toMatchObject({ ...DOWN, outcome: "not-sent", cause: CAUSE });
  });

  test.each([
    [undefined, "rejected"],
    ["unknown", "unknown"],
  ] as const)(
    "[R21] fails the refused call with the outcome %s of its error as %s",
    async (outcome, expected) => {
      const server = await startHttpServer(on("tools/call", ({ status }) => status(401)));
      const onChallenge = () => Promise.reject(down({ outcome }));
      const session = await connect(server, { auth: { headers: async () => ({}), onChallenge } });
      const error = await failureOf(session.request("tools/call", CALL));
      expect(error).toMatchObject({ ...DOWN, outcome: expected, cause: CAUSE });
    },
  );
});

test.each([
  ["ada:pass@", {}, false],
  [":pass@", {}, false],
  ["ada@", {}, true],
  ["ada:@", {}, true],
  ["", {}, true],
  ["", { AUTHORIZATION: "Bearer own" }, false],
  ["", { "X-Api-Key": "key" }, true],
])(
  "the auth port is used for an entry with %j in its URL and the headers %j: %s",
  (login, headers, isAsked) => {
    const url = `https://${login}shop.example/mcp`;
    const server = { transport: "http", name: "shop", url, headers, secrets: [] } as const;
    const auth: AuthPort = { headers: async () => ({}), onChallenge: async () => "fail" };
    expect(createCredentials({ server, auth, ...never }) !== undefined).toBe(isAsked);
  },
);
