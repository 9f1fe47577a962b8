import type { webcrypto } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { OAuthOptions } from "../src/index.ts";
import { openScene } from "./scene.ts";

const { signal } = new AbortController();
const settingsOf: OAuthOptions["settingsOf"] = () => ({ settings: { dpop: true }, scope: "user" });
const BOUND = { oauth: { settingsOf } };
const NONCE = { status: 401, wwwAuthenticate: 'DPoP error="use_dpop_nonce"', dpopNonce: "once" } as const;

interface Proof {
  readonly header: { readonly typ: string; readonly alg: string; readonly jwk: webcrypto.JsonWebKey };
  readonly payload: { readonly [claim: string]: unknown };
}

/** Reads a proof whose signature is of the key that it names. */
async function verified(proof: string | string[] | undefined): Promise<Proof> {
  const [header = "", payload = "", signature = ""] = String(proof).split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const { jwk } = read(header) as Proof["header"];
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey("jwk", jwk, algorithm, true, ["verify"]);
  const isSigned = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    key,
    Buffer.from(signature, "base64url"),
    new TextEncoder().encode(`${header}.${payload}`),
  );
  expect([isSigned, jwk.d]).toEqual([true, undefined]);
  return { header: read(header), payload: read(payload) };
}

async function hashOf(token: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))).toString(
    "base64url",
  );
}

describe("a login whose tokens are bound to a key", () => {
  it("proves each request with the key that got the token, by method, address and token", async () => {
    await using scene = await openScene(BOUND);
    await scene.oauth.login(scene.server);
    const [got] = scene.authority.requestsTo("/token");
    const first = await verified(got?.headers.dpop);
    expect(first.payload).toMatchObject({ htm: "POST", htu: `${scene.authority.issuer}/token` });
    const request = { method: "GET", url: `${scene.server.url}?page=2` };
    const sent = [
      await scene.oauth.headers(scene.server, { request }),
      await scene.oauth.headers(scene.server),
    ];
    const proofs = await Promise.all(sent.map(({ dpop }) => verified(dpop)));
    const [scheme, token = ""] = String(sent[0]?.authorization).split(" ");
    expect(scheme).toBe("DPoP");
    expect(proofs[0]?.payload).toMatchObject({ htm: "GET", htu: scene.server.url, ath: await hashOf(token) });
    expect(proofs[1]?.payload).toMatchObject({ htm: "POST", htu: scene.server.url });
    expect(proofs.map(({ header }) => header)).toEqual([first.header, first.header]);
    expect(first.header).toMatchObject({ typ: "dpop+jwt", alg: "ES256" });
    expect(new Set([first, ...proofs].map(({ payload }) => payload.jti)).size).toBe(3);
  });

  it("is renewed with the same key, by another process too", async () => {
    await using scene = await openScene(BOUND);
    await scene.oauth.login(scene.server);
    scene.clock.now += 3_600_000;
    const { authorization, dpop } = await scene.again().headers(scene.server);
    const [login, renewal] = await Promise.all(
      scene.authority.requestsTo("/token").map(({ headers }) => verified(headers.dpop)),
    );
    expect(authorization).toMatch(/^DPoP /);
    expect(renewal?.header).toEqual(login?.header);
    expect((await verified(dpop)).header).toEqual(login?.header);
  });

  it("puts the nonce that a server wants into its proofs, without another token", async () => {
    await using scene = await openScene({ ...BOUND, isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    const { authorization } = await scene.oauth.headers(scene.server);
    expect(await scene.oauth.onChallenge(scene.server, NONCE, { signal })).toBe("retry");
    const next = await scene.oauth.headers(scene.server);
    expect(next.authorization).toBe(authorization);
    expect((await verified(next.dpop)).payload).toMatchObject({ nonce: "once" });
    expect(scene.authority.requestsTo("/token")).toHaveLength(1);
  });

  it("is an ordinary one where the authorization server binds nothing", async () => {
    await using scene = await openScene({ ...BOUND, behavior: { bindsTokens: false } });
    await scene.oauth.login(scene.server);
    const headers = await scene.oauth.headers(scene.server);
    expect(Object.keys(headers)).toEqual(["authorization"]);
    expect(headers.authorization).toMatch(/^Bearer /);
  });

  it("is not what an entry without the setting gets, which sends no proof and takes no bound token", async () => {
    const tokens = () => ({ status: 200, body: { access_token: "stolen", token_type: "DPoP" } });
    await using scene = await openScene({ behavior: { tokens } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(scene.authority.requestsTo("/token").map(({ headers }) => headers.dpop)).toEqual([undefined]);
  });
});

it("a program's own tokens are bound, too", async () => {
  const settings = {
    dpop: true,
    grantType: "client_credentials",
    clientId: "program",
    clientSecret: "secret-of-it",
  };
  await using scene = await openScene({
    oauth: { settingsOf: () => ({ settings, scope: "user" }) },
    behavior: { metadata: { token_endpoint_auth_methods_supported: ["client_secret_basic"] } },
  });
  const challenge = { status: 401, wwwAuthenticate: "Bearer" } as const;
  expect(await scene.oauth.onChallenge(scene.server, challenge, { signal })).toBe("retry");
  const { authorization, dpop } = await scene.oauth.headers(scene.server);
  expect(authorization).toMatch(/^DPoP /);
  const [got] = scene.authority.requestsTo("/token");
  expect((await verified(dpop)).header).toEqual((await verified(got?.headers.dpop)).header);
});
