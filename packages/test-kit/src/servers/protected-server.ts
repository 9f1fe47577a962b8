import { type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import { text } from "node:stream/consumers";
import type { AuthorizationServer } from "./authorization-server.ts";
import { type LocalHttpServer, startLocalHttpServer } from "./local-http-server.ts";

/** How a server that requires a login is protected. */
export interface ProtectedServerOptions {
  readonly authorizationServer: Pick<AuthorizationServer, "issuer" | "office">;
  /** The URL of the MCP server behind this one. Default: none, and requests get an empty answer with status 200. */
  readonly behind?: string | undefined;
  /** Overrides members of the protected resource metadata; `null` removes one, `false` removes the document. */
  readonly metadata?: { readonly [member: string]: unknown } | false | undefined;
  /** Where the metadata is. Default `/.well-known/oauth-protected-resource/mcp`. */
  readonly metadataPath?: string | undefined;
  /** Where the challenge says that the metadata is. Default: where it is. */
  readonly namedMetadata?: string | undefined;
  /** Has no resource metadata; its origin is the issuer, with the endpoints of the authorization server (MCP 2025-03-26). */
  readonly isIssuer?: boolean | undefined;
  /** Named in the challenge, and required of a token. */
  readonly scope?: string | undefined;
}

/** A request to the MCP endpoint as it arrived. */
export interface ProtectedServerRequest {
  readonly headers: IncomingMessage["headers"];
  /** The status of the answer. 200 stands for any answer of the MCP server behind this one. */
  readonly status: number;
}

/** A remote MCP server that requires a login (MCP, authorization; RFC 9728, 6750). */
export interface ProtectedServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ProtectedServerRequest[];
  /** Replaces the options. */
  guard(options: ProtectedServerOptions): void;
  close(): Promise<void>;
}

const METADATA_PATH = "/.well-known/oauth-protected-resource/mcp";

export async function startProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const running = new RunningProtectedServer(options);
  await running.listen();
  return running;
}

class RunningProtectedServer implements ProtectedServer {
  url = "";
  readonly requests: ProtectedServerRequest[] = [];
  #server: LocalHttpServer | undefined;
  #options: ProtectedServerOptions;

  constructor(options: ProtectedServerOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    this.#server = await startLocalHttpServer((request, response) => this.#receive(request, response));
    this.url = `${this.#server.origin}/mcp`;
  }

  guard(options: ProtectedServerOptions): void {
    this.#options = options;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.url);
    if (pathname !== "/mcp" && pathname !== "/mcp/") {
      await text(request);
      this.#describe(pathname, response);
      return;
    }
    const challenge = this.#judge(request);
    this.requests.push({ headers: request.headers, status: challenge?.status ?? 200 });
    if (challenge === undefined) {
      await this.#passOn(request, response);
      return;
    }
    await text(request);
    response.writeHead(challenge.status, { "www-authenticate": challenge.header }).end();
  }

  #describe(pathname: string, response: ServerResponse): void {
    const described = this.#document(pathname);
    if (described === undefined) {
      response.writeHead(404).end();
      return;
    }
    const kept = Object.entries(described).filter(([, value]) => value !== null);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(Object.fromEntries(kept)));
  }

  #document(pathname: string): { readonly [member: string]: unknown } | undefined {
    const { metadata, isIssuer = false, authorizationServer, metadataPath = METADATA_PATH } = this.#options;
    const { issuer } = authorizationServer;
    if (pathname === metadataPath && metadata !== false && !isIssuer) {
      return { resource: this.url, authorization_servers: [issuer], ...metadata };
    }
    if (pathname !== "/.well-known/oauth-authorization-server" || !isIssuer) return undefined;
    return {
      issuer: new URL(this.url).origin,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  #judge({ headers }: IncomingMessage): { status: 401 | 403; header: string } | undefined {
    const { scope, authorizationServer, metadata, isIssuer = false } = this.#options;
    const { metadataPath = METADATA_PATH, namedMetadata = metadataPath } = this.#options;
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    const granted = token === undefined ? undefined : authorizationServer.office.scopesOf(token);
    const where =
      metadata === false || isIssuer ? [] : [`resource_metadata="${new URL(namedMetadata, this.url)}"`];
    const wanted = scope === undefined ? [] : [`scope="${scope}"`];
    const challenge = (...facts: string[]) =>
      `Bearer ${[...facts, ...where, ...wanted].join(", ") || "realm=x"}`;
    if (granted === undefined) {
      return { status: 401, header: challenge(...(token ? ['error="invalid_token"'] : [])) };
    }
    const missing = (scope ?? "").split(" ").filter((name) => name !== "" && !granted.includes(name));
    return missing.length === 0
      ? undefined
      : { status: 403, header: challenge('error="insufficient_scope"') };
  }

  async #passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { behind } = this.#options;
    if (behind === undefined) {
      await text(request);
      response.writeHead(200).end();
      return;
    }
    const { host: _, authorization: __, ...headers } = request.headers;
    const onward = sendRequest(behind, { method: request.method ?? "GET", headers });
    response.once("close", () => onward.destroy());
    onward.once("error", () => response.destroy());
    onward.once("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  }
}
