import { type Connection, type ReceivedMessage, unwrap } from "./hand-written-connection.ts";

/** As many connections as there are ever calls under way, so that none waits for another. */
const CONNECTIONS = 512;

/** One POST for each message, over connections that are kept open. */
export async function connectHttp(url: string): Promise<Connection> {
  const { Pool } = await import("undici");
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const path = pathname + search;
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  let lastId = 0;
  let session: Record<string, string> = {};

  const post = async (message: object): Promise<string> => {
    const body = JSON.stringify(message);
    const response = await pool.request({ path, method: "POST", headers: { ...headers, ...session }, body });
    const text = await response.body.text();
    const id = response.headers["mcp-session-id"];
    if (typeof id === "string") session = { "mcp-session-id": id };
    return response.headers["content-type"] === "text/event-stream" ? eventData(text) : text;
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
    close: () => pool.close(),
  };
}

/** The data of the only event of an answer. */
function eventData(text: string): string {
  const field = "data: ";
  const begin = text.indexOf(field) + field.length;
  return text.slice(begin, text.indexOf("\n", begin));
}
