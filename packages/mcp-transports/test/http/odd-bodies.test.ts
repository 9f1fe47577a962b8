import type { ServerResponse } from "node:http";
import { deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { type HttpExchange, type HttpScript, on, startHttpServer } from "../http-server.ts";
import { ECHO } from "./remote.ts";

describe.each(["gzip", "deflate", "br"])("a body that is said to be in %s", (encoding) => {
  const encoded = { "content-encoding": encoding };

  test.each([202, 204, 200])("and is empty is one, with %d", async (code) => {
    const server = await startHttpServer(
      on("notifications/initialized", ({ status }) => status(code, encoded)),
    );
    expect((await (await connect(server)).request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test.each(["", "Session not found"])("lets 404 mean that the session is forgotten: %j", async (body) => {
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

  test.each(["", "<h1>Log in</h1>"])("lets 401 ask for a login: %j", async (body) => {
    const server = await startHttpServer(on("tools/call", ({ status }) => status(401, encoded, body)));
    const error = await failureOf((await connect(server)).request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", outcome: "rejected", httpStatus: 401 });
  });
});

test("a refusal whose body is cut off in the middle of its compression keeps its meaning", async () => {
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

  test("of 404 has the session begun anew", async () => {
    const session = await connect(await startHttpServer(refusing(404)));
    expect((await session.request("tools/call", ECHO)).content).toEqual([]);
  });

  test("of 401 is met with other credentials", async () => {
    const onChallenge = vi.fn(async () => "retry" as const);
    const auth = { headers: async () => ({ authorization: "Bearer token-123456" }), onChallenge };
    const server = await startHttpServer(refusing(401, { "www-authenticate": "Bearer" }));
    const session = await connect(server, { auth });
    expect((await session.request("tools/call", ECHO)).content).toEqual([]);
    expect(onChallenge).toHaveBeenCalledOnce();
  });

  test("of 429 says that the call was not carried out", async () => {
    const session = await connect(await startHttpServer(refusing(429, { "retry-after": "7" })));
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ outcome: "rejected", httpStatus: 429, retryAfterMs: 7000 });
  });

  test("can be given up at once", async () => {
    const session = await connect(await startHttpServer(refusing(429)));
    const controller = new AbortController();
    const given = failureOf(session.request("tools/call", ECHO, { signal: controller.signal }));
    controller.abort();
    expect((await given).code).toBe("MCP_ABORTED");
  });
});

test("an answer in deflate may lack the wrapper", async () => {
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
