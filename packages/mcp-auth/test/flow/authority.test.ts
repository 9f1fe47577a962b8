import { McpError } from "@jackfield/mcp-core";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type DiscoverAuthorityOptions,
  discoverAuthority,
  readAuthorityMetadata,
} from "../../src/flow/authority.ts";
import { loadSdk, type Sdk } from "../../src/sdk.ts";
import { remoteServer } from "../request.ts";

let sdk: Sdk;
beforeAll(async () => {
  sdk = await loadSdk();
});

const ORIGIN = "https://server.example";
const METADATA = {
  issuer: `${ORIGIN}/`,
  authorization_endpoint: `${ORIGIN}/authorize`,
  token_endpoint: `${ORIGIN}/token`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
};

/** Discovers for a server whose origin is an issuer, and whose own metadata is answered with these statuses in turn. */
function discover(
  statuses: readonly number[],
  resourceMetadataUrl?: URL,
  earlier?: DiscoverAuthorityOptions["earlier"],
  resource?: string,
) {
  const left = [...statuses];
  const fetch = async (url: string | URL) =>
    String(url).includes("oauth-authorization-server")
      ? Response.json(METADATA)
      : new Response(null, { status: left.shift() ?? 404 });
  const challenge = { resourceMetadataUrl, isInsufficientScope: false };
  const settings = { scopes: [], callback: {}, resource };
  const server = remoteServer(`${ORIGIN}/mcp`);
  return discoverAuthority({ sdk, fetch, server, settings, challenge, earlier });
}

/** Control characters, and more text than a message may quote. */
const EVIL = `\u001b[2J\u0007\u202e${"x".repeat(2_000)}`;

describe("the error for unusable authorization server metadata", () => {
  const read = async (metadata: object | undefined) => {
    const url = `${ORIGIN}/${EVIL}`;
    const fetch = async () =>
      metadata
        ? Response.json({ ...METADATA, issuer: url, ...metadata })
        : new Response(null, { status: 404 });
    return readAuthorityMetadata({ sdk, fetch, server: "files", url }).then(
      () => "",
      (error: Error) => error.message,
    );
  };

  it.each([
    ["there is no metadata", undefined, "no metadata at"],
    ["PKCE with S256 is missing", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    ["the metadata names another issuer", { issuer: "https://other.example" }, "another issuer"],
  ])("quotes the URL truncated and without control characters when %s", async (_, metadata, words) => {
    const message = await read(metadata);
    expect(message).toContain(words);
    expect(message).toContain(ORIGIN);
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(message.length).toBeLessThan(600);
  });
});

describe("a trailing slash", () => {
  const readFrom = (url: string, issuer: string) => {
    const fetch = async () => Response.json({ ...METADATA, issuer });
    return readAuthorityMetadata({ sdk, fetch, server: "files", url });
  };

  it("of the authorization server's URL is ignored", async () => {
    await expect(readFrom(`${ORIGIN}/`, ORIGIN)).resolves.toMatchObject({ issuer: ORIGIN });
  });

  it("of an origin alone makes no difference, and of a path makes another issuer", async () => {
    await expect(readFrom(ORIGIN, `${ORIGIN}/`)).resolves.toMatchObject({ issuer: `${ORIGIN}/` });
    const message = `the metadata of ${ORIGIN}/tenant belongs to another issuer (${ORIGIN}/tenant/)`;
    await expect(readFrom(`${ORIGIN}/tenant`, `${ORIGIN}/tenant/`)).rejects.toThrow(message);
  });
});

describe("protected resource metadata", () => {
  it.each([
    [[408, 408], "Try again later"],
    [[425, 425], "Try again later"],
    [[429, 429], "Try again later"],
    [[429, 404], "Try again later"],
    [[404, 429], "Try again later"],
    [[500], "Try again later"],
    [[503], "Try again later"],
    [[404, 504], "Try again later"],
    [[502, 502], "Try again later"],
  ])("answered with %j fails with the advice to try again later", async (statuses, advice) => {
    await expect(discover(statuses)).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      server: "files",
      message: expect.stringContaining(advice),
    });
  });

  it.each([[[300, 404]], [[302, 404]], [[304]], [[404, 300]]])(
    "answered with an unfollowed redirect %j fails instead of counting as absent",
    async (statuses) => {
      await expect(discover(statuses)).rejects.toMatchObject({
        code: "MCP_CONNECT_FAILED",
        message: expect.stringContaining("Ask the operator of the server"),
      });
    },
  );

  it.each([401, 403])(
    "named by the challenge and answered with %d fails instead of counting as absent",
    async (status) => {
      await expect(discover([status], new URL(`${ORIGIN}/prm?x=y`))).rejects.toMatchObject({
        code: "MCP_CONNECT_FAILED",
        httpStatus: status,
        message: expect.stringContaining(`${ORIGIN}/prm (HTTP ${status}). Ask the operator of the server.`),
      });
    },
  );

  it.each([[[404, 404]], [[410, 410]], [[405, 404]], [[401, 401]], [[502, 404]]])(
    "not named by the challenge and answered with %j counts as absent",
    async (statuses) => {
      expect(await discover(statuses)).toMatchObject({ issuer: METADATA.issuer });
    },
  );
});

describe("the metadata from an earlier login", () => {
  const ISSUER = "https://as.example";
  const earlier = { issuer: METADATA.issuer, resourceIndicator: `${ORIGIN}/mcp`, scopes: ["read"] };

  it.each([[[502, 404]], [[502, 502]], [[404, 502]], [[500]], [[503]], [[404, 504]]])(
    "is used while metadata requests are answered with %j",
    async (statuses) => {
      const known = { issuer: METADATA.issuer, resourceIndicator: `${ORIGIN}/mcp`, resourceScopes: ["read"] };
      expect(await discover(statuses, undefined, earlier)).toMatchObject(known);
    },
  );

  it.each([502, 503])("is used while the metadata URL of the challenge answers %d", async (status) => {
    const known = { issuer: METADATA.issuer, resourceIndicator: `${ORIGIN}/mcp` };
    expect(await discover([status], new URL(`${ORIGIN}/prm`), earlier)).toMatchObject(known);
  });

  it.each([[[429, 404]], [[404, 408]], [[302, 404]]])(
    "is not used when the server answers %j, so is busy or redirects",
    async (statuses) => {
      const discovered = discover(statuses, undefined, earlier);
      await expect(discovered).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
    },
  );

  it.each([
    ["set then, unset now", `${ORIGIN}/`, undefined],
    ["unset then, set now", undefined, `${ORIGIN}/`],
    ["set to another one then", `${ORIGIN}/`, `${ORIGIN}/mcp`],
  ])("is not used for an entry whose resource has changed: %s", async (_, then, now) => {
    const login = {
      ...earlier,
      resourceIndicator: then ?? earlier.resourceIndicator,
      configuredResource: then,
    };
    await expect(discover([503], undefined, login, now)).rejects.toMatchObject({ httpStatus: 503 });
  });

  it("is used for an entry that still names the same resource", async () => {
    const resource = `${ORIGIN}/`;
    const login = { ...earlier, resourceIndicator: resource, configuredResource: resource };
    const known = { issuer: METADATA.issuer, resourceIndicator: resource, resourceScopes: ["read"] };
    expect(await discover([503], undefined, login, resource)).toMatchObject(known);
  });

  it("decides which issuer is asked, not the server's origin", async () => {
    const elsewhere = discover([502, 404], undefined, { ...earlier, issuer: ISSUER });
    await expect(elsewhere).rejects.toThrow("belongs to another issuer"); // the only one there is in this test
  });

  it("is not used once the metadata is gone, nor without a resource of its own", async () => {
    for (const discovered of [
      discover([404, 404], undefined, { ...earlier, issuer: ISSUER }),
      discover([502, 404], undefined, { ...earlier, issuer: ISSUER, resourceIndicator: undefined }),
    ])
      expect(await discovered).toMatchObject({ issuer: METADATA.issuer, resourceIndicator: undefined });
  });

  it("is refused if its resource does not match the server's URL", async () => {
    const wrong = { ...earlier, resourceIndicator: "https://other.example/" };
    await expect(discover([502, 404], undefined, wrong)).rejects.toThrow("does not match its URL");
  });
});

describe("an authorization server", () => {
  it.each([
    ["a line of text", "MCP server is running"],
    ["an empty body", ""],
    ["a JSON list", "[]"],
    ["a comment before an HTML page", "\ufeff <!-- --><html>"],
  ])("that answers unknown paths with %s is asked at the next well-known path", async (_, text) => {
    expect(await read(new Response(text), Response.json(OPEN_ID))).toMatchObject({
      issuer: METADATA.issuer,
    });
    const marked = new Response(`\ufeff\n ${JSON.stringify(METADATA)}`);
    expect(await read(marked)).toMatchObject({ issuer: METADATA.issuer });
  });

  const PAGE = new Response("<!doctype html>", { headers: { "content-type": "text/html; charset=utf-8" } });
  const OPEN_ID = {
    ...METADATA,
    jwks_uri: `${ORIGIN}/keys`,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };

  /** Reads the metadata of an authorization server that gives these answers in turn. */
  const read = (...answers: Response[]) => {
    const left = [...answers];
    const fetch = async () => left.shift() ?? new Response(null, { status: 404 });
    return readAuthorityMetadata({ sdk, fetch, server: "files", url: `${ORIGIN}/` });
  };
  const status = (code: number) => new Response(null, { status: code });

  it.each([[[500]], [[503]], [[502, 502]], [[404, 503]], [[429, 404]], [[408, 408]], [[404, 425]]])(
    "that answers metadata requests with %j fails as retryable",
    async (statuses) => {
      await expect(read(...statuses.map(status))).rejects.toMatchObject({
        code: "MCP_CONNECT_FAILED",
        retryable: true,
        server: "files",
        message: expect.stringMatching(/its authorization server cannot be read at .* Try again later\.$/),
      });
    },
  );

  it("that answers unknown paths with an HTML page is asked at the next well-known path", async () => {
    expect(await read(PAGE.clone(), Response.json(OPEN_ID))).toMatchObject({ issuer: METADATA.issuer });
    await expect(read(PAGE.clone(), PAGE.clone())).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("no metadata at"),
    });
  });

  it.each(["", "application/xhtml+xml", "application/json"])(
    "that serves a page of type %j instead of metadata is asked at the next well-known path",
    async (type) => {
      const page = new Response(new TextEncoder().encode("\r\n <!doctype html>"), {
        headers: type === "" ? {} : { "content-type": type },
      });
      expect(await read(page, Response.json(OPEN_ID))).toMatchObject({ issuer: METADATA.issuer });
    },
  );

  it("that sends its metadata as text/html is accepted", async () => {
    const headers = { "content-type": "text/html; charset=UTF-8" };
    expect(await read(new Response(` ${JSON.stringify(METADATA)}`, { headers }))).toEqual(METADATA);
  });

  it("that answers 503 with an HTML page is reported as down", async () => {
    const { headers } = PAGE;
    await expect(read(new Response("<h1>Down</h1>", { status: 503, headers }))).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      httpStatus: 503,
    });
  });

  it.each<[string, object, string]>([
    ["names another issuer", { issuer: "https://evil.example" }, "belongs to another issuer"],
    ["lacks an endpoint", { token_endpoint: undefined }, "with invalid metadata"],
    ["lacks PKCE with S256", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
  ])("whose metadata %s is refused, although another path answered 502", async (_, more, words) => {
    await expect(read(status(502), Response.json({ ...OPEN_ID, ...more }))).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining(words),
    });
  });

  it("that is forbidden at one path is refused, although another path answered 502", async () => {
    const answers = [() => status(502), () => Promise.reject(new McpError("MCP_AUTH_REQUIRED", "forbidden"))];
    const fetch = async () => answers.shift()?.() ?? status(404);
    await expect(
      readAuthorityMetadata({ sdk, fetch, server: "files", url: `${ORIGIN}/` }),
    ).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED", message: 'Server "files": forbidden' });
  });

  it("defaults to the server's origin if its resource metadata is a page, unless the challenge named it", async () => {
    const fetch = async (url: string | URL) =>
      String(url).includes("oauth-authorization-server") ? Response.json(METADATA) : PAGE.clone();
    const discoverFor = (resourceMetadataUrl?: URL) =>
      discoverAuthority({
        sdk,
        fetch,
        server: remoteServer(`${ORIGIN}/mcp`),
        settings: { scopes: [], callback: {} },
        challenge: { resourceMetadataUrl, isInsufficientScope: false },
      });
    expect(await discoverFor()).toMatchObject({ issuer: METADATA.issuer });
    await expect(discoverFor(new URL(`${ORIGIN}/prm`))).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
  });
});
