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
  /** A spent refresh token still gets the tokens that replaced it, as during the seconds after a rotation. Default false. */
  readonly acceptsReuse?: boolean | undefined;
  /** Overrides parameters of the authorization response; `null` removes one. */
  readonly callback?: { readonly [parameter: string]: string | null } | undefined;
  /** How a login page treats an authorization request: with an error code for the redirect, or as a `page` that leads nowhere. */
  readonly refuses?:
    | ((
        request: AuthorizationServerRequest["parameters"],
        isKnownClient: boolean,
      ) => "page" | string | undefined)
    | undefined;
  /** Overrides members of a registration; `null` removes one. */
  readonly registered?: { readonly [member: string]: unknown } | undefined;
  /** The only way in which the token endpoint recognizes a client. Default: any client is recognized. */
  readonly clientAuth?: "client_secret_basic" | "client_secret_post" | "none" | undefined;
  /** Where the metadata is. Default `/.well-known/oauth-authorization-server`. */
  readonly metadataPath?: string | undefined;
  /** Replaces the answer of the registration endpoint. */
  readonly registration?: AuthorizationReply | undefined;
  /** Replaces the answer of the token endpoint; `undefined` for a grant type keeps the regular one, and `lost` drops it on its way. */
  readonly tokens?: ((grantType: string) => AuthorizationReply | "lost" | undefined) | undefined;
  /** Whether tokens are bound to the key of a request's proof, which is not checked (RFC 9449). Default true. */
  readonly bindsTokens?: boolean | undefined;
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

/** Starts an authorization server: metadata (RFC 8414), registration (RFC 7591), code grant with PKCE, refresh, and the grants of programs. */
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
      const { client_id: client = "" } = read.parameters;
      const refusal = this.#behavior.refuses?.(read.parameters, this.office.knows(client));
      if (refusal === "page") response.writeHead(400).end("This page leads nowhere.");
      else response.writeHead(302, { location: this.#authorize(read.parameters, refusal).href }).end();
      return;
    }
    const answer = this.#answer(read);
    if (answer === "lost") {
      request.socket.destroy();
      return;
    }
    const { status, body } = answer;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  #answer(request: AuthorizationServerRequest): AuthorizationReply | "lost" {
    const { method, path, parameters, body = {} } = request;
    const { metadataPath = "/.well-known/oauth-authorization-server" } = this.#behavior;
    if (path === metadataPath) return { status: 200, body: this.#metadata() };
    if (method === "POST" && path === "/register") {
      const registered = {
        ...body,
        client_id: this.office.register(),
        client_id_issued_at: 1,
        ...this.#behavior.registered,
      };
      return this.#behavior.registration ?? { status: 201, body: withoutNull(registered) };
    }
    if (method === "POST" && path === "/token") {
      const { tokens, clientAuth, bindsTokens = true } = this.#behavior;
      const replaced = tokens?.(parameters.grant_type ?? "");
      if (replaced !== undefined && replaced !== "lost") return replaced;
      const client = clientOf(request);
      if (clientAuth !== undefined && client.method !== clientAuth)
        return { status: 401, body: { error: "invalid_client" } };
      const tokenType = bindsTokens && request.headers.dpop !== undefined ? "DPoP" : "Bearer";
      const regular = this.#tokens({ ...parameters, client_id: client.id }, tokenType);
      return replaced ?? regular;
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
    return withoutNull(metadata);
  }

  #authorize(parameters: AuthorizationServerRequest["parameters"], error?: string): URL {
    const location = new URL(parameters.redirect_uri ?? this.issuer);
    const answer = {
      ...(error === undefined ? { code: this.office.grantCode(parameters) } : { error }),
      state: parameters.state ?? null,
      ...this.#behavior.callback,
    };
    for (const [name, value] of Object.entries(answer)) {
      if (value !== null) location.searchParams.set(name, value);
    }
    return location;
  }

  #tokens(parameters: AuthorizationServerRequest["parameters"], tokenType: string): AuthorizationReply {
    const {
      lifetimeS = 3_600,
      refreshTokens = "rotate",
      acceptsReuse = false,
      grantedScope,
    } = this.#behavior;
    const grantOf = {
      refresh_token: () =>
        this.office.refresh(parameters.refresh_token ?? "", refreshTokens === "rotate", acceptsReuse),
      client_credentials: () => this.office.issueTo(grantedScope ?? parameters.scope),
      "urn:ietf:params:oauth:grant-type:jwt-bearer": () =>
        this.office.issueTo(grantedScope ?? parameters.scope),
    }[parameters.grant_type ?? ""];
    const grant = grantOf ? grantOf() : this.office.redeem(parameters, grantedScope);
    if (grant === undefined)
      return { status: 400, body: { error: "invalid_grant", error_description: "spent" } };
    const { accessToken, refreshToken, scope } = grant;
    const body = {
      access_token: accessToken,
      token_type: tokenType,
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(lifetimeS === null ? {} : { expires_in: lifetimeS }),
      ...(scope === undefined ? {} : { scope }),
    };
    return { status: 200, body };
  }
}

function withoutNull(members: { readonly [member: string]: unknown }) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** Who sent a token request, and how it said so. */
function clientOf({ parameters, headers }: AuthorizationServerRequest): { id: string; method: string } {
  const [scheme, credentials = ""] = (headers.authorization ?? "").split(" ");
  const [id = ""] = Buffer.from(credentials, "base64").toString().split(":");
  if (scheme === "Basic") return { id: decodeURIComponent(id), method: "client_secret_basic" };
  const method = parameters.client_secret === undefined ? "none" : "client_secret_post";
  return { id: parameters.client_id ?? "", method };
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
