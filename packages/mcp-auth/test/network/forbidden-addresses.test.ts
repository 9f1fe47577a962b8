import { isMcpError } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  type FetchLike,
  registerClient,
} from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { GuardedFetch } from "../../src/network/guarded-fetch.ts";
import {
  forbiddenSpellings,
  innerSpellings,
  lookUpAsAttacker,
  loopbackSpellings,
} from "./address-spellings.ts";
import { openTrapListener } from "./trap-listener.ts";

useLeakCheck();

const ISSUER = "https://issuer.example";
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
};

/** The fields a server can put a URL into, and what a client asks there; with the SDK's own functions where it has one. */
const FIELDS: { readonly [field: string]: (url: string, fetch: FetchLike) => Promise<unknown> } = {
  resource_metadata: (resourceMetadataUrl, fetch) =>
    discoverOAuthProtectedResourceMetadata("https://server.example/mcp", { resourceMetadataUrl }, fetch),
  authorization_servers: (url, fetchFn) => discoverAuthorizationServerMetadata(url, { fetchFn }),
  token_endpoint: (token_endpoint, fetchFn) =>
    exchangeAuthorization(ISSUER, {
      metadata: { ...METADATA, token_endpoint },
      clientInformation: { client_id: "client", client_secret: "secret" },
      authorizationCode: "code",
      codeVerifier: "verifier",
      redirectUri: "http://127.0.0.1:1/callback",
      fetchFn,
    }),
  registration_endpoint: (registration_endpoint, fetchFn) =>
    registerClient(ISSUER, {
      metadata: { ...METADATA, registration_endpoint },
      clientMetadata: { redirect_uris: ["http://127.0.0.1:1/callback"] },
      fetchFn,
    }),
  jwks_uri: (url, fetch) => fetch(url),
  revocation_endpoint: (url, fetch) =>
    fetch(url, { method: "POST", body: new URLSearchParams({ token: "secret" }) }),
};

test.each(Object.entries(FIELDS))(
  "[T27] %s: no spelling of an internal address is connected to",
  async (_field, ask) => {
    await using trap = await openTrapListener();
    await using guarded = new GuardedFetch({ lookup: lookUpAsAttacker });
    const spellings = forbiddenSpellings(trap.port);
    expect(new Set(spellings).size).toBeGreaterThanOrEqual(120);
    let refused = 0;
    const recordedFetch: FetchLike = async (url, init) => {
      const answer = await guarded.fetch(url, init).catch((error: unknown) => {
        expect(isMcpError(error), `${url}: ${error}`).toBe(true);
        refused += 1;
        throw error;
      });
      throw new Error(`${url} was answered: ${answer.status}`);
    };
    for (const url of spellings) await expect(ask(url, recordedFetch), url).rejects.toThrow();
    expect(refused).toBeGreaterThanOrEqual(120); // the SDK does not even request the rest
    expect(await trap.connections()).toBe(0);
  },
);

test("[T27] every refusal names the broken rule", async () => {
  await using guarded = new GuardedFetch({ lookup: lookUpAsAttacker });
  for (const url of forbiddenSpellings(1).filter((url) => !url.includes("nowhere"))) {
    await expect(guarded.fetch(url), url).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringMatching(/ is not used: (it|OAuth) .+\.$/s),
    });
  }
});

test("[T27] the trap listener counts the connections that reach it", async () => {
  await using trap = await openTrapListener();
  await using guarded = new GuardedFetch({ allowLoopback: true });
  await expect(guarded.fetch(`https://127.0.0.1:${trap.port}/`)).rejects.toMatchObject({
    code: "MCP_CONNECT_FAILED",
  });
  await expect(guarded.fetch(`http://localhost:${trap.port}/`)).rejects.toMatchObject({
    code: "MCP_CONNECT_FAILED",
  });
  expect(await trap.connections()).toBe(2);
});

test("[T27] allowLoopback allows loopback addresses and no other internal address", async () => {
  await using trap = await openTrapListener();
  await using guarded = new GuardedFetch({ allowLoopback: true, lookup: lookUpAsAttacker });
  for (const url of innerSpellings(trap.port).filter((url) => !url.includes("nowhere")))
    await expect(guarded.fetch(url), url).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
  expect(await trap.connections()).toBe(0);
  for (const url of loopbackSpellings(trap.port).map((url) => url.replace("https:", "http:")))
    await expect(guarded.fetch(url), url).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
});

test("[T27] a .localhost name that resolves to another address is refused", async () => {
  const lookup = async () => [{ address: "93.184.215.14", family: 4 as const }];
  await using guarded = new GuardedFetch({ allowLoopback: true, lookup });
  await expect(guarded.fetch("http://login.localhost:1/")).rejects.toMatchObject({
    code: "MCP_AUTH_REQUIRED",
    message: expect.stringContaining("leads elsewhere"),
  });
});

test("[T27] a trusted host may be internal, but no other host and no metadata address", async () => {
  await using trap = await openTrapListener();
  const guard = { lookup: lookUpAsAttacker, trustedHosts: ["Login.Example", "metadata.example"] };
  await using guarded = new GuardedFetch(guard);
  await expect(guarded.fetch(`https://login.example:${trap.port}/`)).rejects.toMatchObject({
    code: "MCP_CONNECT_FAILED",
  });
  expect(await trap.connections()).toBe(1);
  for (const host of ["localtest.example", "metadata.example", "127.0.0.1"])
    await expect(guarded.fetch(`https://${host}:${trap.port}/`), host).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
    });
  await expect(guarded.fetch(`http://login.example:${trap.port}/`)).rejects.toMatchObject({
    code: "MCP_AUTH_REQUIRED",
  });
  expect(await trap.connections()).toBe(1);
});

test("[T28] a name is resolved once, and the checked address is the one connected to", async () => {
  await using trap = await openTrapListener();
  const giveUp = new AbortController();
  let questions = 0;
  const lookup = async () => {
    questions += 1;
    if (questions > 1) return [{ address: "127.0.0.1", family: 4 as const }];
    setImmediate(() => giveUp.abort()); // no server on the internet is contacted
    return [{ address: "198.41.0.4", family: 4 as const }];
  };
  await using guarded = new GuardedFetch({ lookup });
  const url = `https://rebinding.example:${trap.port}/`;
  await expect(guarded.fetch(url, { signal: giveUp.signal })).rejects.toThrow();
  expect(questions).toBe(1);
  for (let again = 0; again < 5; again += 1)
    await expect(guarded.fetch(url)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
  expect(questions).toBe(6);
  expect(await trap.connections()).toBe(0);
});
