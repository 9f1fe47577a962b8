import { useLeakCheck } from "@jackfield/test-kit";
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { AuthorizationNetwork } from "../../src/network/authorization-network.ts";
import { loadSdk } from "../../src/sdk.ts";
import { remoteServer } from "../request.ts";
import { startServer } from "./http-server.ts";

useLeakCheck();

const SIGNAL = new AbortController().signal;

/** The network to the authorization servers of a server on this machine. */
async function open(serverUrl: string) {
  const network = new AuthorizationNetwork();
  const settings = { scopes: [], callback: {} };
  const subject = { server: remoteServer(serverUrl), settings, isUsersOwn: true };
  return {
    sdk: await loadSdk(),
    fetchFn: await network.fetchFor(subject, SIGNAL),
    fetchHeaders: await network.fetchHeadersFor(subject, SIGNAL),
    [Symbol.asyncDispose]: () => network.close(),
  };
}

function metadataOf(issuer: string): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
}

describe("a request of the SDK", () => {
  type SendRequest = (network: Awaited<ReturnType<typeof open>>, origin: string) => Promise<unknown>;
  const client = { client_id: "c", client_secret: "secret" };
  const requests: readonly (readonly [string, SendRequest])[] = [
    [
      "a code and its verifier",
      ({ sdk, fetchFn }, origin) =>
        sdk.exchangeAuthorization(origin, {
          metadata: metadataOf(origin),
          clientInformation: client,
          authorizationCode: "secret",
          codeVerifier: "secret",
          redirectUri: "http://127.0.0.1:1/callback",
          fetchFn,
        }),
    ],
    [
      "a refresh token and a client's secret",
      ({ sdk, fetchFn }, origin) =>
        sdk.refreshAuthorization(origin, {
          metadata: metadataOf(origin),
          clientInformation: client,
          refreshToken: "secret",
          fetchFn,
        }),
    ],
    [
      "a client registration",
      ({ sdk, fetchFn }, origin) =>
        sdk.registerClient(origin, {
          metadata: metadataOf(origin),
          clientMetadata: { redirect_uris: ["http://127.0.0.1:1/callback"] },
          fetchFn,
        }),
    ],
  ];
  const cases = requests.flatMap(([what, send]) => [307, 308].map((status) => [what, status, send] as const));

  it.each(cases)("[T29] with %s does not follow a %i, even within its origin", async (_, status, send) => {
    await using server = await startServer((_request, response) =>
      response.writeHead(status, { location: "/elsewhere" }).end(),
    );
    await using network = await open(server.origin);
    await expect(send(network, server.origin)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("only a GET follows redirects"),
    });
    expect(server.received).toHaveLength(1);
  });

  it("[T29] for metadata follows three redirects and no fourth", async () => {
    for (const hops of [3, 4]) {
      await using server = await startServer(({ url = "" }, response) => {
        const hop = url.startsWith("/hop") ? Number(url.slice(4)) : 0;
        if (hop < hops) response.writeHead(302, { location: `/hop${hop + 1}` }).end();
        else response.end(JSON.stringify(metadataOf(server.origin)));
      });
      await using network = await open(server.origin);
      const { sdk, fetchFn } = network;
      const reading = sdk.discoverAuthorizationServerMetadata(server.origin, { fetchFn });
      if (hops === 3) expect(await reading).toMatchObject({ issuer: server.origin });
      else await expect(reading).rejects.toMatchObject({ message: expect.stringContaining("more than 3") });
      expect(server.received).toHaveLength(4);
    }
  });

  it("[T29] for metadata drops mcp-protocol-version when redirected to another origin", async () => {
    await using other = await startServer((_request, response) =>
      response.end(JSON.stringify(metadataOf(server.origin))),
    );
    await using server = await startServer((_request, response) =>
      response.writeHead(302, { location: `${other.origin}/there` }).end(),
    );
    await using network = await open(server.origin);
    const { sdk, fetchFn } = network;
    const read = await sdk.discoverAuthorizationServerMetadata(server.origin, { fetchFn });
    expect(read).toMatchObject({ issuer: server.origin });
    expect(server.received[0]?.headers).toHaveProperty("mcp-protocol-version");
    expect(other.received.map(({ path }) => path)).toEqual(["/there"]);
    expect(other.received[0]?.headers).not.toHaveProperty("mcp-protocol-version");
  });
});

describe("fetchHeaders", () => {
  it.each([200, 401])("resolves before the body of a %i response ends", async (status) => {
    const left = Promise.withResolvers<void>();
    await using server = await startServer((_request, response) => {
      response.once("close", left.resolve);
      response.writeHead(status, { "www-authenticate": "Bearer", "x-y": "z" }).write("a body without end");
    });
    await using network = await open(server.origin);
    const answer = await network.fetchHeaders(server.origin);
    expect([answer.status, answer.headers.get("x-y"), await answer.text()]).toEqual([status, "z", ""]);
    await left.promise;
  });

  it("[T29] follows a redirected GET and refuses a redirected POST", async () => {
    await using server = await startServer(({ url }, response) =>
      url === "/end" ? response.end() : response.writeHead(307, { location: "/end" }).end(),
    );
    await using network = await open(server.origin);
    expect(await network.fetchHeaders(server.origin)).toMatchObject({ status: 200 });
    await expect(network.fetchHeaders(server.origin, { method: "POST", body: "{}" })).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
    });
  });
});
