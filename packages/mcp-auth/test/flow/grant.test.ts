import { describe, expect, it } from "vitest";
import type { Authority } from "../../src/flow/authority.ts";
import { grantedCredential, refreshedCredential, requireUsable } from "../../src/flow/grant.ts";
import { isDue } from "../../src/flow/refresh.ts";

const NOW = 1_800_000_000_000;
const TEN_YEARS_S = 10 * 365 * 24 * 3_600;

function granted(expires_in: number | undefined) {
  return grantedCredential({
    serverUrl: "https://server.example/mcp",
    authority: { issuer: "https://as.example" } as Authority,
    client: { client_id: "c" },
    settings: { scopes: [], callback: {} },
    scopes: [],
    tokens: { access_token: "at", token_type: "Bearer", refresh_token: "rt", expires_in },
    now: NOW,
  });
}

describe("a token lifetime", () => {
  it.each([undefined, 0, -5, Number.NaN, Number.POSITIVE_INFINITY])(
    "of %s counts as unknown, so no renewal is due",
    (expires_in) => {
      const credential = granted(expires_in);
      expect(credential.expiresAt).toBeUndefined();
      expect(isDue(credential, NOW)).toBe(false);
      expect(refreshedCredential(credential, credential.tokens, NOW).expiresAt).toBeUndefined();
    },
  );

  it.each([
    [3_600, 3_600],
    [0.5, 0.5],
    [2 ** 63, TEN_YEARS_S],
    [1e308, TEN_YEARS_S],
  ])("of %d seconds ends after %d seconds", (expires_in, seconds) => {
    const { expiresAt = 0 } = granted(expires_in);
    expect(expiresAt).toBe(NOW + seconds * 1_000);
    expect(new Date(expiresAt).toISOString()).toMatch(/^20/);
  });
});

describe("the scopes of a login", () => {
  it("are those of all its tokens, so that none is asked for again", () => {
    const scopesAfter = (before: readonly string[], scope: string | undefined) =>
      refreshedCredential({ ...granted(60), scopes: [...before] }, { ...granted(60).tokens, scope }, NOW)
        .scopes;
    expect(scopesAfter(["read"], "read write")).toEqual(["read", "write"]);
    expect(scopesAfter(["read", "admin"], "read")).toEqual(["read", "admin"]);
    expect(scopesAfter(["read"], undefined)).toEqual(["read"]);
  });
});

describe("an access token", () => {
  const tokens = (access_token: string) => ({ access_token, token_type: "bearer" });

  it.each(["SECRET\r\nX-Evil: 1", "SECRET\n", "SECRET\u0000", "SECRET\u007f", "SECRET\u2026", ""])(
    "that no header can carry is refused without being quoted: %j",
    (token) => {
      expect(() => requireUsable(tokens(token))).toThrow(
        /^The authorization server issued an access token that cannot be sent in a header; it was not used\.$/,
      );
    },
  );

  it("of ordinary characters is accepted", () => {
    expect(requireUsable(tokens("aZ09-._~+/=="))).toEqual(tokens("aZ09-._~+/=="));
  });
});
