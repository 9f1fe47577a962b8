import type { StoredCredential } from "../../src/vault/token-vault.ts";

export const SERVER_URL = "https://server.example/mcp";

/** The credential of one rotation: its tokens carry the number. */
export function sampleCredential({
  number = 0,
  padding = 0,
  serverUrl = SERVER_URL,
}: {
  number?: number;
  padding?: number;
  serverUrl?: string;
} = {}): StoredCredential {
  return {
    serverUrl,
    issuer: "https://issuer.example",
    resource: serverUrl,
    client: { client_id: "client", client_secret: "client-secret" },
    tokens: {
      access_token: `access-${number}-${"x".repeat(padding)}`,
      token_type: "Bearer",
      refresh_token: `refresh-${number}`,
    },
    scopes: ["read", "write"],
    obtainedAt: number,
    expiresAt: number + 3_600_000,
  };
}
