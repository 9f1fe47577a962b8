import { type AuthPort, McpError, type McpErrorDetails } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { createCredentials } from "../../src/http/credentials.ts";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { on, startHttpServer } from "../http-server.ts";

const never = { signal: new AbortController().signal };
const CALL = { name: "echo" };
const POST = { method: "POST", url: "https://example.com/mcp" };

/** Starts a server that accepts only this value of `Authorization`. */
const guardedBy = (accept: string) =>
  startHttpServer(({ request, status }) => {
    if (request.headers.authorization === accept) return undefined;
    status(401, { "www-authenticate": 'Bearer resource_metadata="https://as.example/"' });
    return true;
  });

describe("authorization", () => {
  /** Hands out the first token, and the next one after a challenge. */
  const portWith = (...tokens: string[]) => {
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
      tokens.shift();
      return tokens.length > 0 ? "retry" : "fail";
    });
    const headers = vi.fn<AuthPort["headers"]>(async () => ({ authorization: `Bearer ${tokens[0]}` }));
    const auth: AuthPort = { headers, onChallenge };
    return { auth, headers, onChallenge };
  };

  test("that is missing fails with MCP_AUTH_REQUIRED and a hint to log in", async () => {
    const error = await failToConnect(await guardedBy("Bearer good"));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", httpStatus: 401 });
    expect(error.message).toContain("Log in");
  });

  test("comes from the auth port with every request", async () => {
    const server = await guardedBy("Bearer good");
    const { auth, onChallenge } = portWith("good");
    const session = await connect(server, { auth });
    expect((await session.list("tools", never)).items).toHaveLength(1);
    expect(onChallenge).not.toHaveBeenCalled();
  });

  test("that has expired is renewed by one challenge for its user, and the request is repeated", async () => {
    const server = await guardedBy("Bearer new");
    const { auth, headers, onChallenge } = portWith("old", "new");
    await connect(server, { auth, principal: "ann" });
    expect(onChallenge).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ name: "remote" }),
      { status: 401, wwwAuthenticate: 'Bearer resource_metadata="https://as.example/"' },
      { principal: "ann", signal: expect.any(AbortSignal) },
    );
    const request = { method: "POST", url: server.url };
    const asked = { principal: "ann", signal: expect.any(AbortSignal), request };
    expect(headers).toHaveBeenCalledWith(expect.objectContaining({ name: "remote" }), asked);
  });

  test("that is to be proved with a nonce gets one, also after a login, and only once for each request", async () => {
    const challenges = ["Bearer", 'DPoP error="use_dpop_nonce"'];
    let wanted = 2;
    const server = await startHttpServer(({ request, message, status }) => {
      if (message?.method !== "tools/call" || wanted === 0) return false;
      const challenge = challenges[Math.max(0, 2 - wanted)] ?? "";
      wanted -= 1;
      status(401, { "www-authenticate": challenge, "dpop-nonce": `nonce-${wanted}` });
      return request.method === "POST";
    });
    const { auth, onChallenge } = portWith("old", "new", "same", "same", "same");
    const session = await connect(server, { auth });
    expect(await session.request("tools/call", CALL)).toHaveProperty("content");
    const nonces = () => onChallenge.mock.calls.map(([, { dpopNonce }]) => dpopNonce);
    expect(nonces()).toEqual([undefined, "nonce-0"]);
    challenges.splice(0, 2, ...Array<string>(2).fill('DPoP error="use_dpop_nonce"'));
    wanted = 2;
    expect(await failureOf(session.request("tools/call", CALL))).toMatchObject({ httpStatus: 401 });
    expect(nonces()).toEqual([undefined, "nonce-0", "nonce-1"]);
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
    const server = await guardedBy("Bearer other");
    const { auth, onChallenge } = portWith("old", "new");
    const error = await failToConnect(server, { auth });
    expect(error.code).toBe("MCP_AUTH_REQUIRED");
    expect(onChallenge).toHaveBeenCalledTimes(1);
    expect(server.log.map(({ what }) => what)).toEqual([
      "POST server/discover",
      "POST server/discover",
      "POST initialize",
      "GET", // It may be an older server, whose stream needs none.
    ]);
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

describe("an auth port that throws something else than an McpError", () => {
  const KEY = "stored-123456";
  const fail = () => {
    throw new Error(`The vault refused ${KEY}.`);
  };

  /** Calls a server that refuses calls while another call is under way, and returns what became of both. */
  const callRefused = async (auth: AuthPort) => {
    let isRefused = false;
    let finish = (): void => expect.fail("the other call has not arrived");
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const server = await startHttpServer(
      on("tools/call", ({ status, answer }) => {
        if (isRefused) return status(401, { "www-authenticate": "Bearer" });
        finish = () => answer({ content: [{ type: "text", text: "done" }] });
        arrive();
      }),
    );
    const session = await connect(server, { auth });
    const lost = vi.fn();
    session.onClose(lost);
    const other = session.request("tools/call", CALL);
    await arrived;
    isRefused = true;
    const error = await failureOf(session.request("tools/call", CALL));
    finish();
    expect(await other).toMatchObject({ content: [{ text: "done" }] });
    expect(lost).not.toHaveBeenCalled();
    const posts = server.log.filter(({ what }) => what === "POST tools/call").length - 1;
    return { error, posts };
  };

  const headers = async () => ({ authorization: `Bearer ${KEY}` });

  test.each([
    ["rejects", async () => fail()],
    ["throws", fail],
  ])(
    "fails only the refused call, as rejected with MCP_AUTH_REQUIRED, when onChallenge %s",
    async (_, onChallenge) => {
      const { error, posts } = await callRefused({ headers, onChallenge });
      expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", phase: "handshake", outcome: "rejected" });
      expect(error.message).toContain("The vault refused");
      expect(`${error.stack} ${error.cause}`).not.toContain(KEY);
      expect(posts).toBe(1);
    },
  );

  test("has its error as the cause if that contains no secret", async () => {
    const cause = new Error("The login page did not open.");
    const { error } = await callRefused({ headers, onChallenge: () => Promise.reject(cause) });
    expect(error.cause).toBe(cause);
  });

  test.each([
    ["a plain error", fail, "MCP_CONNECT_FAILED"],
    ["an McpError", () => Promise.reject(new McpError("MCP_LIMIT_EXCEEDED", "Busy.")), "MCP_LIMIT_EXCEEDED"],
  ])("fails the refused call as rejected when headers() throws %s after the login", async (_, next, code) => {
    let isMet = false;
    const { error, posts } = await callRefused({
      headers: async () => (isMet ? next() : headers()),
      onChallenge: async () => {
        isMet = true;
        return "retry";
      },
    });
    expect(error).toMatchObject({ code, outcome: "rejected" });
    expect(`${error.stack} ${error.cause}`).not.toContain(KEY);
    expect(posts).toBe(1);
  });

  test("fails a call as not-sent with MCP_CONNECT_FAILED when headers() throws before it", async () => {
    let isDown = false;
    const server = await startHttpServer();
    const session = await connect(server, {
      auth: { headers: async () => (isDown ? fail() : headers()), onChallenge: async () => "fail" },
    });
    const lost = vi.fn();
    session.onClose(lost);
    isDown = true;
    const error = await failureOf(session.request("tools/call", CALL));
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", phase: "handshake", outcome: "not-sent" });
    expect(`${error.stack} ${error.cause}`).not.toContain(KEY);
    isDown = false;
    expect(await session.request("tools/call", CALL)).toMatchObject({ content: [{ text: "done" }] });
    expect(lost).not.toHaveBeenCalled();
  });

  test("because the connection is aborted fails the connection with MCP_ABORTED", async () => {
    const aborting = new AbortController();
    const server = await guardedBy("Bearer good");
    const onChallenge: AuthPort["onChallenge"] = (_server, _challenge, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        aborting.abort();
      });
    const error = await failToConnect(server, { auth: { headers, onChallenge }, signal: aborting.signal });
    expect(error.code).toBe("MCP_ABORTED");
  });
});

describe("the values that are redacted", () => {
  const NAMED = {
    transport: "http",
    name: "shop",
    url: "https://shop.example/",
    headers: {},
    secrets: [],
  } as const;

  test("[T50] include a constant header beside headers that change with every request", async () => {
    const server = await startHttpServer(
      on("tools/call", ({ message, request: { headers }, status }) => {
        const error = { code: -32602, message: `bad key ${headers["x-security-token"]}` };
        const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, error });
        status(200, { "content-type": "application/json" }, body);
      }),
    );
    let count = 0;
    const headers = async () => {
      count += 1;
      return {
        "x-security-token": "key-123456",
        "x-time": `time-${count}`,
        "x-signature": `signed-${count}`,
      };
    };
    const session = await connect(server, { auth: { headers, onChallenge: async () => "fail" } });
    for (let call = 0; call < 20; call += 1) {
      const error = await failureOf(session.request("tools/call", CALL));
      expect(error.message).toContain("bad key");
      expect(error.message).not.toContain("key-123456");
    }
  });

  test("are the last 8 of a header, where a value that is used again counts as new", async () => {
    const sent = ["a", "b", "c", "d", "e", "f", "g", "h", "a", "i"];
    const auth: AuthPort = {
      headers: async () => ({ Cookie: `id-${sent.shift()}` }),
      onChallenge: async () => "fail",
    };
    const credentials = createCredentials({ server: NAMED, auth, ...never });
    while (sent.length > 0) await credentials?.attach(POST, false);
    const expected = ["i", "a", "h", "g", "f", "e", "d", "c"].map((value) => `id-${value}`);
    expect([...new Set(credentials?.secrets)]).toEqual(expected);
  });
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
