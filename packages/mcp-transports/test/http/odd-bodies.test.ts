import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { type HttpExchange, type HttpScript, on, startHttpServer } from "../http-server.ts";
import { ECHO } from "./remote.ts";

describe.each(["gzip", "deflate", "br"])("a body labelled as %s", (encoding) => {
  const encoded = { "content-encoding": encoding };

  test.each([202, 204, 200])("may be empty with %d", async (code) => {
    const server = await startHttpServer(
      on("notifications/initialized", ({ status }) => status(code, encoded)),
    );
    expect((await (await connect(server)).request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test.each(["", "Session not found"])("with 404 still renews the session: %j", async (body) => {
    let times = 0;
    const forgetOnce = ({ message, status }: HttpExchange) => {
      if (message?.method !== "tools/call" || times > 0) return undefined;
      times += 1;
      status(404, encoded, body);
      return true;
    };
    const session = await connect(await startHttpServer(forgetOnce));
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test.each(["", "<h1>Log in</h1>"])("with 401 still fails with MCP_AUTH_REQUIRED: %j", async (body) => {
    const server = await startHttpServer(on("tools/call", ({ status }) => status(401, encoded, body)));
    const error = await failureOf((await connect(server)).request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", outcome: "rejected", httpStatus: 401 });
  });
});

test("a 403 with a truncated gzip body still fails with MCP_AUTH_REQUIRED", async () => {
  const headers = { "content-encoding": "gzip" };
  const half = gzipSync("Not before you have logged in.").subarray(0, 20);
  const server = await startHttpServer(
    on("tools/call", ({ response }) => response.writeHead(403, headers).end(half)),
  );
  const error = await failureOf((await connect(server)).request("tools/call", ECHO));
  expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", outcome: "rejected", httpStatus: 403 });
});

const UNFINISHED: { readonly [how: string]: (response: ServerResponse) => void } = {
  "is cut off": (response) => void response.write("<html>", () => response.destroy()),
  "is reset": (response) => void response.write("<html>", () => response.socket?.resetAndDestroy()),
  "never ends": (response) => void response.write("<html>"),
  "is endless": (response) => {
    const write = () => void (response.writable && response.write("x".repeat(4096), write));
    write();
  },
};

describe.each(Object.entries(UNFINISHED))("a refusal whose body %s", (_, finish) => {
  /** Refuses the first call. */
  const refusing = (status: number, headers: Record<string, string> = {}): HttpScript => {
    let times = 0;
    return on("tools/call", ({ response, answer }) => {
      times += 1;
      if (times > 1) return answer({ content: [] });
      response.writeHead(status, headers);
      finish(response);
    });
  };

  test("with 404 renews the session", async () => {
    const session = await connect(await startHttpServer(refusing(404)));
    expect((await session.request("tools/call", ECHO)).content).toEqual([]);
  });

  test("with 401 asks the auth port once, and the call is repeated", async () => {
    const onChallenge = vi.fn(async () => "retry" as const);
    const auth = { headers: async () => ({ authorization: "Bearer token-123456" }), onChallenge };
    const server = await startHttpServer(refusing(401, { "www-authenticate": "Bearer" }));
    const session = await connect(server, { auth });
    expect((await session.request("tools/call", ECHO)).content).toEqual([]);
    expect(onChallenge).toHaveBeenCalledOnce();
  });

  test("with 429 rejects the call and keeps its Retry-After", async () => {
    const session = await connect(await startHttpServer(refusing(429, { "retry-after": "7" })));
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ outcome: "rejected", httpStatus: 429, retryAfterMs: 7000 });
  });

  test("does not delay aborting the call", async () => {
    const session = await connect(await startHttpServer(refusing(429)));
    const controller = new AbortController();
    const failure = failureOf(session.request("tools/call", ECHO, { signal: controller.signal }));
    controller.abort();
    expect((await failure).code).toBe("MCP_ABORTED");
  });
});

describe("a refusal", () => {
  const auth = () => {
    const onChallenge = vi.fn(async () => "retry" as const);
    return { headers: async () => ({ authorization: "Bearer token-123456" }), onChallenge };
  };

  test.each(["never ends", "is endless"])("whose body %s is cut off by the client", async (how) => {
    const closed = Promise.withResolvers<void>();
    const refuse = on("tools/call", ({ response }) => {
      response.on("close", closed.resolve);
      response.writeHead(429);
      UNFINISHED[how]?.(response);
    });
    const session = await connect(await startHttpServer(refuse));
    await failureOf(session.request("tools/call", ECHO));
    await closed.promise;
  });

  test("of the repeated call is cut off too, after a complete first one", async () => {
    const closed = Promise.withResolvers<void>();
    let times = 0;
    const refuse = on("tools/call", ({ response, status }) => {
      times += 1;
      if (times === 1) return status(401, { "www-authenticate": "Bearer" }, "Log in.");
      response.on("close", closed.resolve);
      response.writeHead(403);
      UNFINISHED["is endless"]?.(response);
    });
    const session = await connect(await startHttpServer(refuse), { auth: auth() });
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({ httpStatus: 403 });
    await closed.promise;
  });

  test.each(["before its answer", "during its answer"])(
    "leaves the outcome unknown if the connection of the repeated call breaks %s",
    async (when) => {
      let times = 0;
      const refuse = on("tools/call", ({ request, response, status }) => {
        times += 1;
        if (times === 1) status(401, { "www-authenticate": "Bearer" });
        else if (when === "before its answer") request.socket.destroy();
        else {
          response.writeHead(200, { "content-type": "application/json" });
          response.write("{", () => response.destroy());
        }
      });
      const session = await connect(await startHttpServer(refuse), { auth: auth() });
      const error = await failureOf(session.request("tools/call", ECHO));
      expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    },
  );
});

describe("the decoder of a decompression bomb", () => {
  const bomb = brotliCompressSync(Buffer.alloc(1 << 26), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  const zlib = process.getBuiltinModule("node:zlib");

  /** Connects to a server that answers calls with the bomb, and collects the decoders created for its answers. */
  const startGrowing = async (status: number, headers: Record<string, string> = {}, body = bomb) => {
    const create = vi.spyOn(zlib, "createBrotliDecompress");
    onTestFinished(() => create.mockRestore());
    const answer = on("tools/call", ({ response }) =>
      response.writeHead(status, { "content-encoding": "br", ...headers }).write(body),
    );
    const decoders = () => create.mock.results.map(({ value }) => value as Transform);
    return { session: await connect(await startHttpServer(answer)), decoders };
  };

  test("stops once enough of a refusal has been read", async () => {
    const { session, decoders } = await startGrowing(429);
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ outcome: "rejected", httpStatus: 429 });
    expect(decoders().map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  test.each([429, 200])("stops when the call that was answered with %d is aborted", async (status) => {
    // The whole bomb could end the call before it is aborted.
    const [headers, beginning] = [{ "content-type": "text/event-stream" }, bomb.subarray(0, 8)];
    const { session, decoders } = await startGrowing(status, headers, beginning);
    const controller = new AbortController();
    const failure = failureOf(session.request("tools/call", ECHO, { signal: controller.signal }));
    await vi.waitUntil(() => decoders().length === 1);
    controller.abort();
    expect((await failure).code).toBe("MCP_ABORTED");
    await vi.waitFor(() => expect(decoders().map(({ destroyed }) => destroyed)).toEqual([true]));
  });
});

describe("data after the end of a compressed answer", () => {
  /** Random, so that it stays long when compressed. */
  const text = randomBytes(70_000).toString("base64");
  const compressed = (id: unknown) => {
    const result = { content: [{ type: "text", text }] };
    return gzipSync(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  const HEADERS = { "content-type": "application/json", "content-encoding": "gzip" };

  test("does not cost one connection per call", async () => {
    const sockets = new Set<unknown>();
    const server = await startHttpServer(
      on("tools/call", ({ request, message, response }) => {
        sockets.add(request.socket);
        const body = Buffer.concat([compressed(message.id), Buffer.alloc(1)]);
        response.writeHead(200, { ...HEADERS, "content-length": body.length }).end(body);
      }),
    );
    const session = await connect(server);
    for (let call = 0; call < 20; call += 1) await session.request("tools/call", ECHO);
    expect(sockets.size).toBeLessThan(10);
  });

  test("is cut off instead of being read forever", async () => {
    const closed = Promise.withResolvers<void>();
    const server = await startHttpServer(
      on("tools/call", ({ message, response }) => {
        response.on("close", closed.resolve);
        response.writeHead(200, HEADERS);
        response.write(Buffer.concat([compressed(message.id), Buffer.alloc(1)]));
        const write = () => void (response.writable && response.write(Buffer.alloc(4096), write));
        write();
      }),
    );
    const session = await connect(server);
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    await closed.promise;
  });
});

test("a deflate answer may lack the zlib wrapper", async () => {
  const server = await startHttpServer(
    on("tools/call", ({ message, response }) => {
      const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { content: [] } });
      const headers = { "content-type": "application/json", "content-encoding": "deflate" };
      response.writeHead(200, headers).end(deflateRawSync(answer));
    }),
  );
  expect((await (await connect(server)).request("tools/call", ECHO)).content).toEqual([]);
});

test("a JSON answer that begins with a byte order mark is read", async () => {
  const server = await startHttpServer(
    on("tools/call", ({ message, status }) => {
      const answer = { jsonrpc: "2.0", id: message.id, result: { content: [] } };
      status(200, { "content-type": "application/json" }, `\uFEFF${JSON.stringify(answer)}`);
    }),
  );
  expect((await (await connect(server)).request("tools/call", ECHO)).content).toEqual([]);
});
