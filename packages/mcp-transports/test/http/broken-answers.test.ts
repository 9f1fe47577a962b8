import { type AuthPort, McpError } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import {
  type HttpExchange,
  type HttpScript,
  type RunningHttpServer,
  startHttpServer,
} from "../http-server.ts";
import { never } from "./remote.ts";

const EVENTS = { "content-type": "text/event-stream" };
const CHARGE = { name: "charge_card", arguments: {} };
const REFUSED_EVENT = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no such event"}}';

interface ForgetfulServer extends RunningHttpServer {
  /** How often the method, which must not run twice, ran. */
  readonly carriedOut: () => number;
}

/** Starts a server that runs requests of one method, breaks off the answer's stream, and lets `onResume` handle its resumption. */
async function startForgetful(
  method: string,
  onResume: (exchange: HttpExchange, server: RunningHttpServer) => void,
): Promise<ForgetfulServer> {
  let carriedOut = 0;
  const script: HttpScript = (exchange) => {
    const { request, response, message } = exchange;
    if (request.headers["last-event-id"] !== undefined) onResume(exchange, server);
    else if (message?.method !== method || carriedOut > 0) return undefined;
    else {
      carriedOut += 1;
      response.writeHead(200, EVENTS);
      response.write("id: 1\nretry: 0\ndata: \n\n", () => response.destroy());
    }
    return true;
  };
  const server = await startHttpServer(script);
  return { ...server, carriedOut: () => carriedOut };
}

const refusing = (status: number, headers?: Record<string, string>, body?: string) => (on: HttpExchange) =>
  on.status(status, headers, body);

const FATES: Readonly<Record<string, (exchange: HttpExchange, server: RunningHttpServer) => void>> = {
  "is refused with 400": refusing(400),
  "is refused with 400 and a JSON-RPC error": refusing(400, undefined, REFUSED_EVENT),
  "is refused with 401": refusing(401, { "www-authenticate": "Bearer" }),
  "is refused with 403": refusing(403),
  "is refused with 404, because the session is forgotten": refusing(404),
  "is refused with 405": refusing(405),
  "is refused with 429": refusing(429, { "retry-after": "0" }),
  "is refused with 500": refusing(500, { "retry-after": "0" }),
  "is redirected elsewhere": refusing(302, { location: "http://127.0.0.1:9/" }),
  "is answered with a page": refusing(200, { "content-type": "text/html" }, "<h1>Hello</h1>"),
  "meets a connection that is reset": ({ request }) => request.socket.resetAndDestroy(),
  "meets no server any more": (_, server) => void server.stop(),
};

describe("a call whose answer breaks off", () => {
  test("is sent once and has an unknown outcome, however resuming its stream fails", async () => {
    const fates = await Promise.all(
      Object.entries(FATES).map(async ([fate, onResume]) => {
        const server = await startForgetful("tools/call", onResume);
        const session = await connect(server);
        const { code, outcome, httpStatus, rpcCode, message } = await failureOf(
          session.request("tools/call", CHARGE),
        );
        expect(message).toContain("its answer broke off");
        const sent = server.log.filter(({ what }) => what === "POST tools/call").length;
        return [fate, { code, outcome, httpStatus, rpcCode, carriedOut: server.carriedOut(), sent }] as const;
      }),
    );
    const unknown = { code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown", carriedOut: 1, sent: 1 };
    expect(Object.fromEntries(fates)).toEqual(
      Object.fromEntries(Object.keys(FATES).map((fate) => [fate, unknown])),
    );
  });

  test.each(["日本", "café", "plain"])(
    "is answered when its stream resumes after the event id %s",
    async (id) => {
      let call = 0;
      let lastEventId: string | undefined;
      const server = await startHttpServer(({ request, response, message }) => {
        if (message?.method === "tools/call") {
          call = message.id;
          response.writeHead(200, EVENTS).end(`id: ${id}\nretry: 0\ndata: \n\n`);
        } else if (request.headers["last-event-id"] !== undefined) {
          lastEventId = Buffer.from(`${request.headers["last-event-id"]}`, "latin1").toString("utf8");
          const answer = { jsonrpc: "2.0", id: call, result: { content: [] } };
          response.writeHead(200, EVENTS).end(`id: 2\ndata: ${JSON.stringify(answer)}\n\n`);
        } else return undefined;
        return true;
      });
      expect((await (await connect(server)).request("tools/call", CHARGE)).content).toEqual([]);
      expect(lastEventId).toBe(id);
    },
  );

  test("reports the HTTP status and leaves the session open", async () => {
    const server = await startForgetful("tools/call", refusing(404));
    const session = await connect(server);
    const error = await failureOf(session.request("tools/call", CHARGE));
    expect(error.message).toContain("HTTP 404");
    expect((await session.request("tools/call", CHARGE)).content).toHaveLength(1);
  });

  test("has an unknown outcome if resuming its stream needs a login that fails", async () => {
    const server = await startForgetful("tools/call", refusing(401, { "www-authenticate": "Bearer" }));
    const noLogin = new McpError("MCP_AUTH_REQUIRED", "Log in.", { outcome: "rejected" });
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(() => Promise.reject(noLogin));
    const auth: AuthPort = { headers: async () => ({}), onChallenge };
    const error = await failureOf((await connect(server, { auth })).request("tools/call", CHARGE));
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    expect(server.carriedOut()).toBe(1);
    expect(onChallenge).toHaveBeenCalledTimes(1);
  });
});

test.each([404, 401])(
  "a list whose answer breaks off is requested again if resuming fails with %d",
  async (status) => {
    const server = await startForgetful("tools/list", refusing(status));
    const session = await connect(server);
    expect((await session.list("tools", { signal: never })).items).toHaveLength(1);
    expect(server.log.filter(({ what }) => what === "POST tools/list")).toHaveLength(2);
  },
);
