import type { IncomingMessage } from "node:http";
import { type Connection, type ReceivedMessage, unwrap } from "./hand-written-connection.ts";

/** One POST for each message, over connections that are kept open. */
export async function connectHttp(url: string): Promise<Connection> {
  const { Agent, request } = await import("node:http");
  const agent = new Agent({ keepAlive: true });
  const target = new URL(url);
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  let lastId = 0;

  const post = (message: object): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const body = JSON.stringify(message);
    const options = {
      agent,
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
    };
    request(target, options, (response) => resolve(readReply(response)))
      .on("error", reject)
      .end(body);
    return promise;
  };

  return {
    async request(method, params) {
      lastId += 1;
      const reply = await post({ jsonrpc: "2.0", id: lastId, method, params });
      return unwrap(JSON.parse(reply) as ReceivedMessage);
    },
    async notify(method) {
      await post({ jsonrpc: "2.0", method });
    },
    close: async () => agent.destroy(),
  };
}

async function readReply(response: IncomingMessage): Promise<string> {
  const { text } = await import("node:stream/consumers");
  const body = await text(response.setEncoding("utf8"));
  if (response.headers["content-type"] !== "text/event-stream") return body;
  const data = body.split("\n").find((line) => line.startsWith("data: "));
  return data?.slice("data: ".length) ?? "";
}
