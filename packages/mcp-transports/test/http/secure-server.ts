import { readFileSync } from "node:fs";
import { createSecureServer, type SecureServerOptions } from "node:http2";
import type { TLSSocket } from "node:tls";
import { listen } from "./listening.ts";

/** Reads a certificate or key of the fixtures. They are valid for a hundred years, and only for tests. */
export const pem = (name: string): string =>
  readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), "utf8");

const RESULTS: Readonly<Record<string, object>> = {
  "tools/call": { content: [] },
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    serverInfo: { name: "secure", version: "1" },
  },
};

/** What the TLS server records of a request. */
export interface SeenRequest {
  readonly version: string;
  /** The name in the client's certificate. */
  readonly client: string | undefined;
  readonly apiKey: string | string[] | undefined;
}

/** Starts a TLS server that offers HTTP/2. Its certificate is for `localhost`, that of `other-machine` for `mcp.invalid`. */
export async function startSecure({
  identity = "server",
  ...options
}: SecureServerOptions & { readonly identity?: "server" | "other-machine" } = {}) {
  const seen: SeenRequest[] = [];
  const keys = { key: pem(`${identity}-key`), cert: pem(identity), ca: pem("ca") };
  const server = createSecureServer({ ...keys, allowHTTP1: true, ...options }, async (request, response) => {
    const socket = (request.stream?.session?.socket ?? request.socket) as TLSSocket;
    const client = [socket.getPeerCertificate().subject?.CN].flat()[0];
    seen.push({ version: request.httpVersion, client, apiKey: request.headers["x-api-key"] });
    const text = Buffer.concat(await request.toArray()).toString();
    const message = text ? JSON.parse(text) : {};
    const result = RESULTS[message.method];
    if (request.method !== "POST") response.writeHead(405).end();
    else if (message.id === undefined) response.writeHead(202).end();
    else {
      const outcome = result ? { result } : { error: { code: -32601, message: "Method not found" } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome }));
    }
  });
  const port = await listen(server);
  return { seen, port, url: `https://localhost:${port}/mcp` };
}
