import type { IncomingMessage, ServerResponse } from "node:http";
import type { RecordedHttpRequest } from "./request-log.ts";
import type { RpcMessage } from "./rpc-message.ts";

/** The query parameter with the session id in the old SSE transport. */
const SESSION_PARAMETER = "sessionId";

/** A request that was read completely, and its response. */
export interface HttpIncoming extends RecordedHttpRequest {
  /** The path without its query. */
  readonly pathname: string;
  readonly session?: string | undefined;
  readonly response: ServerResponse;
}

/**
 * Reads a request to its end.
 *
 * @throws Error if it is cut off, SyntaxError if its body is not JSON
 */
export async function readIncoming(
  request: IncomingMessage,
  response: ServerResponse,
  connection: number,
): Promise<HttpIncoming> {
  const { method = "", headers, url: path = "/" } = request;
  const text = await readText(request);
  const body = text === "" ? undefined : (JSON.parse(text) as RpcMessage);
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const session = headers["mcp-session-id"]?.toString() ?? searchParams.get(SESSION_PARAMETER) ?? undefined;
  return { method, path, headers, body, connection, pathname, session, response };
}

/** Uses events: iterating over the request is slower, and tests make many thousand requests. */
function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => resolve(Buffer.concat(chunks).toString("utf8")))
      .on("error", reject)
      .on("close", () => reject(new Error("The request broke off.")));
  });
}

/** The path for a session's messages in the old SSE transport. */
export function messagePath(session: string): string {
  return `/messages?${SESSION_PARAMETER}=${encodeURIComponent(session)}`;
}
