import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

export interface HitAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Hit {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string;
}

/** Sends a request to a port of this machine, with exactly this target and these headers. */
export async function hit(redirectUri: string, target: string, options: Hit = {}): Promise<HitAnswer> {
  const { port } = new URL(redirectUri);
  const { method = "GET", headers, body } = options;
  const sent = request({
    host: "127.0.0.1",
    port,
    path: target,
    method,
    agent: false,
    setHost: !headers,
    ...(headers && { headers }),
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode ?? 0, headers: response.headers, body: text };
}
