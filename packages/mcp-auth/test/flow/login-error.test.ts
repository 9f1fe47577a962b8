import { McpError } from "@jackfield/mcp-core";
import { beforeAll, describe, expect, it } from "vitest";
import { adviseLogin, loginByName, loginError } from "../../src/errors.ts";
import { loadSdk, type Sdk } from "../../src/sdk.ts";

let sdk: Sdk;
beforeAll(async () => {
  sdk = await loadSdk();
});

const STEP = {
  server: "files",
  doing: "token request",
  endpoint: "https://as.example/token?key=secret-in-query",
} as const;

describe("the error of a failed login", () => {
  it("quotes the server's text on one line, truncated and without control characters", () => {
    const words = `no\n\u001b[2J\u202eway${"!".repeat(1_000)}`;
    const { message } = loginError(sdk, new sdk.OAuthError("invalid_request", words), STEP);
    expect(message).toMatch(/no \[2J way!+…/);
    expect(message.length).toBeLessThan(500);
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("shows neither the endpoint's query nor a mismatched issuer", () => {
    const unreadable = loginError(sdk, new SyntaxError("Unexpected token"), STEP);
    expect(unreadable.message).toContain("https://as.example/token answered");
    expect(unreadable.message).not.toContain("secret-in-query");
    const mixedUp = new sdk.IssuerMismatchError(
      "authorization_response",
      "https://as.example",
      "https://evil.example",
    );
    expect(loginError(sdk, mixedUp, STEP).message).toContain("https://as.example");
    expect(loginError(sdk, mixedUp, STEP).message).not.toContain("evil");
  });

  it("redacts sent secrets in every encoding, also in its cause", () => {
    const secret = "a b/c+d=\u00e9";
    const secrets = [secret];
    const upper = [encodeURIComponent(secret), String(new URLSearchParams({ secret })).slice(7)];
    const lower = upper.map((spelling) => spelling.replace(/%../g, (octet) => octet.toLowerCase()));
    const mixed = encodeURIComponent(secret).replace("%2F", "%2f");
    const spellings = [secret, ...upper, ...lower, mixed];
    for (const spelling of spellings) {
      for (const thrown of [
        new sdk.OAuthError("invalid_grant", `unknown: ${spelling}`),
        new sdk.OAuthError(spelling, "unknown"),
        new sdk.OAuthError(
          "server_error",
          `HTTP 500: Invalid OAuth error response: x. Raw body: ${spelling}`,
        ),
        new Error(`failed: ${spelling}`),
        new SyntaxError(`"${spelling}" is not valid JSON`),
        new McpError("MCP_AUTH_REQUIRED", spelling, { server: "files" }),
      ]) {
        const mcpError = loginError(sdk, thrown, { ...STEP, secrets });
        const shown = `${mcpError.stack} ${(mcpError.cause as Error | undefined)?.stack}`;
        expect(shown).not.toContain(spelling);
        expect(mcpError).toMatchObject({ code: "MCP_AUTH_REQUIRED", server: "files" });
      }
    }
  });

  it("omits a response body that is not an OAuth error", () => {
    const body =
      "HTTP 502: Invalid OAuth error response: SyntaxError: no. Raw body: <h1>refresh_token=other</h1>";
    const mcpError = loginError(sdk, new sdk.OAuthError("server_error", body), STEP);
    expect(mcpError.message).toContain("server_error (HTTP 502, not an OAuth error)");
    expect(`${mcpError.message} ${mcpError.cause}`).not.toMatch(/other|Raw body/);
  });

  it.each([
    [503, "temporarily_unavailable", "busy"],
    [400, "temporarily_unavailable", "busy"],
    [200, "server_error", "down"],
    [429, "slow_down", "wait"],
    [408, "server_error", "HTTP 408: Invalid OAuth error response: SyntaxError. Raw body: "],
    [425, "server_error", "HTTP 425: Invalid OAuth error response: SyntaxError. Raw body: "],
    [502, "server_error", "HTTP 502: Invalid OAuth error response: SyntaxError. Raw body: <p>"],
  ])("for status %d with %s is retryable if the step needs no person", (status, code, words) => {
    const thrown = new sdk.OAuthError(code, words);
    expect(loginError(sdk, thrown, { ...STEP, answer: { status } })).toMatchObject({
      code: "MCP_CONNECT_FAILED",
      retryable: true,
      server: "files",
      message: expect.stringMatching(/ Try again later\.$/),
    });
    expect(loginError(sdk, thrown, STEP)).toMatchObject({ code: "MCP_AUTH_REQUIRED" });
  });

  it.each([
    [400, "invalid_request", "no"],
    [401, "server_error", "HTTP 401: Invalid OAuth error response: SyntaxError. Raw body: <p>"],
    [200, "server_error", "Invalid OAuth error response: ZodError. Raw body: {}"],
  ])("for status %d with %s is MCP_AUTH_REQUIRED", (status, code, words) => {
    const thrown = new sdk.OAuthError(code, words);
    expect(loginError(sdk, thrown, { ...STEP, answer: { status } })).toMatchObject({
      code: "MCP_AUTH_REQUIRED",
    });
  });

  it.each([
    [
      '{"error":"invalid_client_metadata","error_description":"no","more":"other"}',
      "invalid_client_metadata: no",
    ],
    ['{"error":"unapproved_client"}', "unapproved_client"],
    ["<!doctype html><h1>other</h1>", "not an OAuth error"],
    ['{"message":"other"}', "not an OAuth error"],
    ['{"error":{"message":"other"}}', "not an OAuth error"],
    ["null", "not an OAuth error"],
    ["", "not an OAuth error"],
  ])("quotes only the OAuth error of the registration response %s", (body, words) => {
    const rejected = new sdk.RegistrationRejectedError({
      status: 403,
      body,
      submittedMetadata: { redirect_uris: [] },
    });
    const mcpError = loginError(sdk, rejected, { ...STEP, doing: "registration" });
    expect(mcpError.message).toContain(`answered HTTP 403 (${words})`);
    expect(mcpError.message).not.toContain("other");
    if (words === "not an OAuth error") expect(mcpError.cause).toBeUndefined();
  });

  it("leaves text without sent secrets unchanged", () => {
    const text = "see https%3a%2f%2fas.example";
    expect(loginError(sdk, new Error(text), { ...STEP, secrets: ["secret"] }).message).toContain(text);
  });

  it("quotes issuer and endpoint truncated and without control characters", () => {
    const evil = `https://as.example/\u001b[2J${"x".repeat(2_000)}`;
    const mixedUp = new sdk.IssuerMismatchError("authorization_response", evil, "https://evil.example");
    for (const thrown of [mixedUp, new Error("no"), new SyntaxError("no")]) {
      const { message } = loginError(sdk, thrown, { ...STEP, endpoint: evil });
      expect(message).toContain("https://as.example/");
      expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(message.length).toBeLessThan(500);
    }
  });

  it("is MCP_AUTH_REQUIRED even if the thrown value has no text", () => {
    const mcpError = loginError(sdk, Object.create(null), STEP);
    expect(mcpError).toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringMatching(/failed: a value without a text$/),
    });
  });

  it("is the given McpError, with the server name added if it is missing", () => {
    const known = new McpError("MCP_CONNECT_TIMEOUT", "too late", { server: "files" });
    expect(loginError(sdk, known, STEP)).toBe(known);
    const nameless = loginError(sdk, new McpError("MCP_CONNECT_FAILED", "nobody there"), STEP);
    expect(nameless.toJSON()).toMatchObject({
      code: "MCP_CONNECT_FAILED",
      server: "files",
      message: 'Server "files": nobody there',
    });
  });
});

describe("the advised login command", () => {
  it.each([
    ["github", [], "jackfield login github"],
    ["@scope/name.1", [], "jackfield login @scope/name.1"],
    ["github", ["repo:read", "a"], 'jackfield login github --scope "repo:read a"'],
    ["my server", [], "jackfield login NAME"],
    ["--json", [], "jackfield login NAME"],
    ["$(touch x)", [], "jackfield login NAME"],
    ["github", ["read", "$(touch x)"], "jackfield login github"],
    ["github", ["`touch x`"], "jackfield login github"],
  ] as const)("for server %j with scopes %j is safe to copy", (server, scopes, command) => {
    expect(adviseLogin(loginByName, server, scopes)).toBe(`Log in with: ${command}`);
  });
});
