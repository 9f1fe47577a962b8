import { describe, expect, it, vi } from "vitest";
import type { Authority } from "../../src/flow/authority.ts";
import { identifyClient, withSecret } from "../../src/flow/client-identity.ts";
import { grantedCredential } from "../../src/flow/grant.ts";
import type { Sdk } from "../../src/sdk.ts";
import { createFileVault } from "../../src/vault/file-vault.ts";
import { temporaryDirectory } from "../vault/vault-process.ts";

const NOW = 1_800_000_000_000;
const ISSUER = "https://as.example";
const redirectUri = "http://127.0.0.1:4000/callback";
const settings = { scopes: [], callback: {} };
const authority = {
  url: ISSUER,
  issuer: ISSUER,
  metadata: { issuer: ISSUER, registration_endpoint: `${ISSUER}/register` },
} as unknown as Authority;

interface IdentifyOptions {
  readonly otherAuthority?: Authority;
  readonly scope?: string;
  readonly earlierScopes?: readonly string[];
}

function identify(
  registered: object,
  earlier?: object,
  { otherAuthority = authority, ...wanted }: IdentifyOptions = {},
) {
  const registerClient = vi.fn(async () => registered);
  const sdk = { registerClient } as unknown as Sdk;
  return identifyClient({
    sdk,
    fetch,
    server: "files",
    authority: otherAuthority,
    settings,
    redirectUri,
    scope: undefined,
    ...wanted,
    clientName: "Test",
    clientMetadataUrl: undefined,
    earlier: earlier && { client_id: "old", issuer: ISSUER, redirect_uris: [redirectUri], ...earlier },
    now: () => NOW,
  });
}

describe("a client from an earlier registration", () => {
  it.each([
    [{}, "old"],
    [{ client_secret: "s", client_secret_expires_at: 0 }, "old"],
    [{ client_secret: "s", client_secret_expires_at: NOW / 1_000 + 60 }, "old"],
    [{ client_secret: "s", client_secret_expires_at: NOW / 1_000 - 60 }, "new"],
    [{ redirect_uris: ["http://127.0.0.1:4001/callback"] }, "new"],
    [{ issuer: "https://other.example" }, "new"],
  ])("with %j: the login uses the %s client", async (earlier, clientId) => {
    expect(await identify({ client_id: "new" }, earlier)).toMatchObject({ client_id: clientId });
  });
});

describe("a client from an earlier registration with scopes", () => {
  it.each([
    ["read", "read", [], "old"],
    ["read write", "write", [], "old"],
    ["read", "read write", [], "new"],
    // It was granted although it was not registered: another registration would change nothing.
    ["read", "read offline_access", ["read", "offline_access"], "old"],
    ["read", "write", ["read"], "new"],
    ["read", undefined, [], "old"],
    [undefined, "read", [], "old"],
    ["", "read", [], "old"],
    [null, "read", [], "old"],
  ])(
    "registered %j, requested %j, granted %j: the login uses the %s client",
    async (registered, scope, earlierScopes, id) => {
      const wanted = scope === undefined ? { earlierScopes } : { scope, earlierScopes };
      const client = await identify({ client_id: "new" }, { scope: registered }, wanted);
      expect(client).toMatchObject({ client_id: id });
    },
  );
});

describe("an entry whose client secret cannot be read", () => {
  it("fails with the original error if it names a client, and registers one otherwise", async () => {
    const clientSecretError = new Error("the password manager is locked");
    const withError = { scopes: [], callback: {}, clientSecretError };
    const sdk = { registerClient: async () => ({ client_id: "new" }) } as unknown as Sdk;
    const common = { sdk, fetch, server: "files", authority, redirectUri, scope: undefined };
    const rest = { clientName: "Test", clientMetadataUrl: undefined, earlier: undefined, now: () => NOW };
    const named = { ...withError, clientId: "mine" };
    await expect(identifyClient({ ...common, ...rest, settings: named })).rejects.toBe(clientSecretError);
    expect(await identifyClient({ ...common, ...rest, settings: withError })).toMatchObject({
      client_id: "new",
    });
  });
});

describe("a registration response with an empty client_id", () => {
  it("fails the login and advises asking the operator for a client id", async () => {
    await expect(identify({ client_id: "" })).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      server: "files",
      message: expect.stringMatching(/without an id\. Ask its operator for a client id/),
    });
  });
});

describe("withSecret, when the entry's client secret cannot be read", () => {
  it("throws only for the client that the entry names", () => {
    const clientSecretError = new Error("the password manager is locked");
    const named = { ...settings, clientId: "mine", clientSecretError };
    expect(withSecret({ client_id: "other" }, named)).toEqual({ client_id: "other" });
    expect(() => withSecret({ client_id: "mine" }, named)).toThrow(clientSecretError);
  });
});

describe("the error for an issuer that registers no clients", () => {
  it("quotes the issuer truncated and without control characters", async () => {
    const issuer = `${ISSUER}/\u001b[2J\u202e${"x".repeat(2_000)}`;
    const otherAuthority = { ...authority, issuer, metadata: { issuer } } as Authority;
    const message = await identify({}, undefined, { otherAuthority }).catch((error: Error) => error.message);
    expect(message).toContain("does not register clients");
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(message).toHaveProperty("length", expect.closeTo(450, -2));
  });
});

describe("a client registered with an empty secret", () => {
  it.each([
    {},
    { token_endpoint_auth_method: "none" },
    { token_endpoint_auth_method: "client_secret_basic" },
  ])("and %j keeps no secret, and its login can be stored", async (method) => {
    const client = await identify({ client_id: "new", client_secret: "", redirect_uris: [], ...method });
    expect(client).toEqual({ client_id: "new", issuer: ISSUER, redirect_uris: [] });
    const tokens = { access_token: "at", token_type: "Bearer" };
    const serverUrl = "https://server.example/mcp";
    const vault = createFileVault({ directory: temporaryDirectory() });
    const granted = { serverUrl, authority, client, settings, scopes: [], tokens, now: NOW };
    await vault.write(grantedCredential(granted));
    expect(await vault.forServer(serverUrl)).toMatchObject({ tokens });
  });
});
