import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type LocalHttpServer, startLocalHttpServer } from "./local-http-server.ts";
import { createTokenOffice, type TokenOffice } from "./token-office.ts";

/** An answer that replaces the regular one. */
export interface AuthorizationReply {
  readonly status: number;
  readonly body: unknown;
}

/** How an authorization server differs from a well-behaved one. */
export interface AuthorizationBehavior {
  /** Overrides members of the metadata; `null` removes one. */
  readonly metadata?: { readonly [member: string]: unknown } | undefined;
  /** Lifetime of access tokens in seconds; `null` omits it. Default 3,600. */
  readonly lifetimeS?: number | null | undefined;
  /**
   * `rotate` (default): each refresh issues a new refresh token, and reuse of a spent one ends the login. `keep`: the answer has none,
   * and the old one stays valid.
   */
  readonly refreshTokens?: "rotate" | "keep" | undefined;
  /** Overrides parameters of the authorization response; `null` removes one. */
  readonly callback?: { readonly [parameter: string]: string | null } | undefined;
  /** Replaces the answer of the registration endpoint. */
  readonly registration?: AuthorizationReply | undefined;
  /** Replaces the answer of the token endpoint; `undefined` for a grant type keeps the regular one. */
  readonly tokens?: ((grantType: string) => AuthorizationReply | undefined) | undefined;
  /** Grants these scopes, whatever is requested. */
  readonly grantedScope?: string | undefined;
}

/** A request as it arrived. */
export interface AuthorizationServerRequest {
  readonly method: string;
  readonly path: string;
  /** The parameters of the query and of a form body. */
  readonly parameters: { readonly [name: string]: string };
  readonly headers: IncomingMessage["headers"];
  /** A JSON body. */
  readonly body?: { readonly [member: string]: unknown } | undefined;
}

/** An OAuth authorization server on 127.0.0.1 that consents to everything at once. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  readonly requests: readonly AuthorizationServerRequest[];
  /** Issues and checks tokens; a resource server uses it to validate them. */
  readonly office: TokenOffice;
  /** Replaces the behaviour. */
  behave(behavior: AuthorizationBehavior): void;
  /** The requests to one endpoint. */
  requestsTo(path: "/authorize" | "/token" | "/register"): readonly AuthorizationServerRequest[];
  close(): Promise<void>;
}

/** Starts an authorization server: metadata (RFC 8414), registration (RFC 7591), code grant with PKCE, refresh. */
export async function startAuthorizationServer(
  behavior: AuthorizationBehavior = {},
): Promise<AuthorizationServer> {
  const running = new RunningAuthorizationServer(behavior);
  await running.listen();
  return running;
}

class RunningAuthorizationServer implements AuthorizationServer {
  issuer = "";
  readonly requests: AuthorizationServerRequest[] = [];
  readonly office = createTokenOffice();
  #server: LocalHttpServer | undefined;
  #behavior: AuthorizationBehavior;

  constructor(behavior: AuthorizationBehavior) {
    this.#behavior = behavior;
  }

  async listen(): Promise<void> {
    this.#server = await startLocalHttpServer((request, response) => this.#receive(request, response));
    this.issuer = this.#server.origin;
  }

  behave(behavior: AuthorizationBehavior): void {
    this.#behavior = behavior;
  }

  requestsTo(path: string): readonly AuthorizationServerRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readRequest(request);
    this.requests.push(read);
    if (read.path === "/authorize") {
      const location = this.#authorize(read.parameters);
      response.writeHead(302, { location: location.href }).end();
      return;
    }
    const { status, body } = this.#answer(read);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  #answer({ method, path, parameters, body = {} }: AuthorizationServerRequest): AuthorizationReply {
    if (path === "/.well-known/oauth-authorization-server") return { status: 200, body: this.#metadata() };
    if (method === "POST" && path === "/register") {
      const registered = { ...body, client_id: this.office.register(), client_id_issued_at: 1 };
      return this.#behavior.registration ?? { status: 201, body: registered };
    }
    if (method === "POST" && path === "/token") {
      return this.#behavior.tokens?.(parameters.grant_type ?? "") ?? this.#tokens(parameters);
    }
    return { status: 404, body: { error: "not_found" } };
  }

  #metadata() {
    const metadata = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      ...this.#behavior.metadata,
    };
    return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
  }

  #authorize(parameters: AuthorizationServerRequest["parameters"]): URL {
    const location = new URL(parameters.redirect_uri ?? this.issuer);
    const answer = {
      code: this.office.grantCode(parameters),
      state: parameters.state ?? null,
      ...this.#behavior.callback,
    };
    for (const [name, value] of Object.entries(answer)) {
      if (value !== null) location.searchParams.set(name, value);
    }
    return location;
  }

  #tokens(parameters: AuthorizationServerRequest["parameters"]): AuthorizationReply {
    const { lifetimeS = 3_600, refreshTokens = "rotate", grantedScope } = this.#behavior;
    const grant =
      parameters.grant_type === "refresh_token"
        ? this.office.refresh(parameters.refresh_token ?? "", refreshTokens === "rotate")
        : this.office.redeem(parameters, grantedScope);
    if (grant === undefined)
      return { status: 400, body: { error: "invalid_grant", error_description: "spent" } };
    const { accessToken, refreshToken, scope } = grant;
    const body = {
      access_token: accessToken,
      token_type: "Bearer",
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(lifetimeS === null ? {} : { expires_in: lifetimeS }),
      ...(scope === undefined ? {} : { scope }),
    };
    return { status: 200, body };
  }
}

async function readRequest(request: IncomingMessage): Promise<AuthorizationServerRequest> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const content = await text(request);
  const isJson = request.headers["content-type"]?.startsWith("application/json") === true;
  const form = isJson ? [] : new URLSearchParams(content);
  return {
    method: request.method ?? "",
    path: url.pathname,
    parameters: { ...Object.fromEntries(url.searchParams), ...Object.fromEntries(form) },
    headers: request.headers,
    ...(isJson ? { body: JSON.parse(content) } : {}),
  };
}
