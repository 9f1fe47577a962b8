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

/** A server whose origin is an issuer, and whose own metadata is answered with these statuses, one after the other. */
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

/** What a terminal would obey, and what nobody would read to its end. */
const EVIL = `\u001b[2J\u0007\u202e${"x".repeat(2_000)}`;

describe("what a server says of its authorization server", () => {
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
    ["there is none", undefined, "no metadata at"],
    ["it does not know PKCE", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    ["it names another issuer", { issuer: "https://other.example" }, "another issuer"],
  ])("is quoted without what a terminal obeys, and cut, where %s", async (_, metadata, words) => {
    const message = await read(metadata);
    expect(message).toContain(words);
    expect(message).toContain(ORIGIN);
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(message.length).toBeLessThan(600);
  });
});

describe("metadata of a server", () => {
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
  ])(
    "that is answered with %j cannot be read just now, which is not the same as none",
    async (statuses, advice) => {
      await expect(discover(statuses)).rejects.toMatchObject({
        code: "MCP_CONNECT_FAILED",
        server: "files",
        message: expect.stringContaining(advice),
      });
    },
  );

  it.each([[[300, 404]], [[302, 404]], [[304]], [[404, 300]]])(
    "that is answered with %j, a redirect that is not followed, is not none",
    async (statuses) => {
      await expect(discover(statuses)).rejects.toMatchObject({
        code: "MCP_CONNECT_FAILED",
        message: expect.stringContaining("Ask the operator of the server"),
      });
    },
  );

  it.each([401, 403])("that it names itself, and answers with %d, is there", async (status) => {
    await expect(discover([status], new URL(`${ORIGIN}/prm?x=y`))).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      httpStatus: status,
      message: expect.stringContaining(`${ORIGIN}/prm (HTTP ${status}). Ask the operator of the server.`),
    });
  });

  it.each([[[404, 404]], [[410, 410]], [[405, 404]], [[401, 401]], [[502, 404]]])(
    "that nobody has named, and is answered with %j, is none",
    async (statuses) => {
      expect(await discover(statuses)).toMatchObject({ issuer: METADATA.issuer });
    },
  );
});

describe("what a server had advertised when somebody logged in", () => {
  const ISSUER = "https://as.example";
  const earlier = { issuer: METADATA.issuer, resourceIndicator: `${ORIGIN}/mcp`, scopes: ["read"] };

  it.each([[[502, 404]], [[502, 502]], [[404, 502]], [[500]], [[503]], [[404, 504]]])(
    "holds while its metadata is answered with %j",
    async (statuses) => {
      const known = { issuer: METADATA.issuer, resourceIndicator: `${ORIGIN}/mcp`, resourceScopes: ["read"] };
      expect(await discover(statuses, undefined, earlier)).toMatchObject(known);
    },
  );

  it.each([502, 503])("holds while what it names itself is answered with %d", async (status) => {
    const known = { issuer: METADATA.issuer, resourceIndicator: `${ORIGIN}/mcp` };
    expect(await discover([status], new URL(`${ORIGIN}/prm`), earlier)).toMatchObject(known);
  });

  it.each([[[429, 404]], [[404, 408]], [[302, 404]]])(
    "does not hold where it is answered with %j: who is busy can be asked again, and who redirects may have moved",
    async (statuses) => {
      const discovered = discover(statuses, undefined, earlier);
      await expect(discovered).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
    },
  );

  it.each([
    ["named one then, and names none now", `${ORIGIN}/`, undefined],
    ["named none then, and names one now", undefined, `${ORIGIN}/`],
    ["named another then", `${ORIGIN}/`, `${ORIGIN}/mcp`],
  ])("does not hold for an entry whose resource has changed: it %s", async (_, then, now) => {
    const login = {
      ...earlier,
      resourceIndicator: then ?? earlier.resourceIndicator,
      configuredResource: then,
    };
    await expect(discover([503], undefined, login, now)).rejects.toMatchObject({ httpStatus: 503 });
  });

  it("holds for an entry that names the resource it named then", async () => {
    const resource = `${ORIGIN}/`;
    const login = { ...earlier, resourceIndicator: resource, configuredResource: resource };
    const known = { issuer: METADATA.issuer, resourceIndicator: resource, resourceScopes: ["read"] };
    expect(await discover([503], undefined, login, resource)).toMatchObject(known);
  });

  it("is what counts, and not where the server is", async () => {
    const elsewhere = discover([502, 404], undefined, { ...earlier, issuer: ISSUER });
    await expect(elsewhere).rejects.toThrow("belongs to another issuer"); // the only one there is in this test
  });

  it("does not hold where there is no metadata any more, and adds none where there was none", async () => {
    for (const discovered of [
      discover([404, 404], undefined, { ...earlier, issuer: ISSUER }),
      discover([502, 404], undefined, { ...earlier, issuer: ISSUER, resourceIndicator: undefined }),
    ])
      expect(await discovered).toMatchObject({ issuer: METADATA.issuer, resourceIndicator: undefined });
  });

  it("must cover the server's URL", async () => {
    const wrong = { ...earlier, resourceIndicator: "https://other.example/" };
    await expect(discover([502, 404], undefined, wrong)).rejects.toThrow("does not match its URL");
  });
});

describe("an authorization server", () => {
  it.each([
    ["a line of text", "MCP server is running"],
    ["nothing", ""],
    ["a list", "[]"],
    ["a comment before a page", "\ufeff <!-- --><html>"],
  ])(
    "that answers with %s whatever it does not know has its metadata where the next is looked for",
    async (_, text) => {
      expect(await read(new Response(text), Response.json(OPEN_ID))).toMatchObject({
        issuer: METADATA.issuer,
      });
      const marked = new Response(`\ufeff\n ${JSON.stringify(METADATA)}`);
      expect(await read(marked)).toMatchObject({ issuer: METADATA.issuer });
    },
  );

  const PAGE = new Response("<!doctype html>", { headers: { "content-type": "text/html; charset=utf-8" } });
  const OPEN_ID = {
    ...METADATA,
    jwks_uri: `${ORIGIN}/keys`,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };

  /** What is said of one whose two documents are answered so. */
  const read = (...answers: Response[]) => {
    const left = [...answers];
    const fetch = async () => left.shift() ?? new Response(null, { status: 404 });
    return readAuthorityMetadata({ sdk, fetch, server: "files", url: `${ORIGIN}/` });
  };
  const status = (code: number) => new Response(null, { status: code });

  it.each([[[500]], [[503]], [[502, 502]], [[404, 503]], [[429, 404]], [[408, 408]], [[404, 425]]])(
    "whose metadata is answered with %j is busy or down, which says nothing of a login",
    async (statuses) => {
      await expect(read(...statuses.map(status))).rejects.toMatchObject({
        code: "MCP_CONNECT_FAILED",
        retryable: true,
        server: "files",
        message: expect.stringMatching(/its authorization server cannot be read at .* Try again later\.$/),
      });
    },
  );

  it("that shows a page for whatever it does not know has its metadata where the next is looked for", async () => {
    expect(await read(PAGE.clone(), Response.json(OPEN_ID))).toMatchObject({ issuer: METADATA.issuer });
    await expect(read(PAGE.clone(), PAGE.clone())).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("no metadata at"),
    });
  });

  it.each(["", "application/xhtml+xml", "application/json"])(
    "that shows a page of type %j in place of metadata has none there",
    async (type) => {
      const page = new Response(new TextEncoder().encode("\r\n <!doctype html>"), {
        headers: type === "" ? {} : { "content-type": type },
      });
      expect(await read(page, Response.json(OPEN_ID))).toMatchObject({ issuer: METADATA.issuer });
    },
  );

  it("that sends its metadata as HTML has metadata all the same", async () => {
    const headers = { "content-type": "text/html; charset=UTF-8" };
    expect(await read(new Response(` ${JSON.stringify(METADATA)}`, { headers }))).toEqual(METADATA);
  });

  it("that is down and shows a page is down", async () => {
    const { headers } = PAGE;
    await expect(read(new Response("<h1>Down</h1>", { status: 503, headers }))).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      httpStatus: 503,
    });
  });

  it.each<[string, object, string]>([
    ["of another issuer", { issuer: "https://evil.example" }, "belongs to another issuer"],
    ["that lacks an endpoint", { token_endpoint: undefined }, "with invalid metadata"],
    ["without PKCE", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
  ])("whose metadata is %s is refused for that, though another place was down", async (_, more, words) => {
    await expect(read(status(502), Response.json({ ...OPEN_ID, ...more }))).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining(words),
    });
  });

  it("that may not be reached at one place is refused for that, though another place was down", async () => {
    const answers = [() => status(502), () => Promise.reject(new McpError("MCP_AUTH_REQUIRED", "forbidden"))];
    const fetch = async () => answers.shift()?.() ?? status(404);
    await expect(
      readAuthorityMetadata({ sdk, fetch, server: "files", url: `${ORIGIN}/` }),
    ).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED", message: 'Server "files": forbidden' });
  });

  it("is its own where the server shows a page in place of metadata, unless it has named that", async () => {
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
