import type { OAuthSettings } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMemoryVault, type LoginOptions, type StoredCredential } from "../src/index.ts";
import { reach } from "./request.ts";
import { openScene, type Scene, visit } from "./scene.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;

/** Clients send their secret in the form. */
const BY_POST = { token_endpoint_auth_methods_supported: ["client_secret_post"] };

/** Answers every token request with an error that repeats what was sent. */
function echo({ authority }: Scene, error: string) {
  authority.behave({
    metadata: BY_POST,
    tokens: () => {
      const { parameters, headers } = authority.requestsTo("/token").at(-1) ?? {};
      const form = new URLSearchParams(parameters).toString();
      const description = `${JSON.stringify(parameters)} ${form} ${headers?.authorization}`;
      return error === ""
        ? { status: 500, body: { debug: description } }
        : { status: 400, body: { error, error_description: description } };
    },
  });
}

/** Every secret that was sent to the token endpoint. */
function secretsSent({ authority }: Scene): readonly string[] {
  const sent = authority.requestsTo("/token").map(({ parameters }) => parameters);
  const names = ["code", "code_verifier", "refresh_token", "client_secret"] as const;
  return sent.flatMap((parameters) => names.flatMap((name) => parameters[name] ?? []));
}

describe("a client registered by an earlier login", () => {
  it.each(["invalid_client", "unauthorized_client"])(
    "is replaced by a login of a later run after it was refused as %s",
    async (error) => {
      await using scene = await openScene();
      await scene.oauth.login(scene.server);
      const before = await scene.vault.forServer(scene.server.url);
      scene.authority.behave({ tokens: () => ({ status: 401, body: { error } }) });
      await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        server: "files",
        message: expect.stringMatching(/Log in again\.$/),
      });
      expect(scene.authority.requestsTo("/register")).toHaveLength(1);
      expect((await scene.vault.forServer(scene.server.url))?.tokens).toEqual(before?.tokens);
      scene.authority.behave({});
      await scene.again().login(scene.server);
      expect(scene.authority.requestsTo("/register")).toHaveLength(2);
    },
  );

  it("is reported as refused even if the vault cannot forget it", async () => {
    const memory = createMemoryVault();
    let isFull = false;
    const write = async (credential: StoredCredential) => {
      if (isFull) throw new Error("the disk is full");
      await memory.write(credential);
    };
    await using scene = await openScene({ oauth: { vault: { ...memory, write } } });
    await scene.oauth.login(scene.server);
    isFull = true;
    scene.authority.behave({ tokens: () => ({ status: 401, body: { error: "invalid_client" } }) });
    await expect(scene.oauth.login(scene.server)).rejects.toThrow("invalid_client");
  });

  it("is kept if only the code is refused", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    scene.authority.behave({ tokens: () => ({ status: 400, body: { error: "invalid_grant" } }) });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    scene.authority.behave({});
    await scene.oauth.login(scene.server);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
  });
});

describe("an authorization server that echoes secrets", () => {
  const settings = { clientId: "fixed", clientSecret: "secret of/the+client" };

  it.each(["invalid_request", "invalid_grant", ""])(
    "in an error (%j) has them redacted in the log and in the login's error",
    async (error) => {
      await using scene = await openScene({
        behavior: { metadata: BY_POST },
        oauth: { settingsOf: () => ({ settings }) },
      });
      await scene.oauth.login(scene.server);
      echo(scene, error);
      scene.clock.now += HOUR_MS;
      await scene.oauth.headers(scene.server);
      const failure = await scene.oauth.login(scene.server).catch((thrown: Error) => thrown);
      expect(scene.said).not.toEqual([]);
      const shown = `${JSON.stringify(scene.said)} ${failure} ${(failure as Error).cause}`;
      expect(secretsSent(scene)).toHaveLength(8);
      for (const secret of secretsSent(scene)) {
        expect(shown).not.toContain(secret);
        expect(shown).not.toContain(encodeURIComponent(secret));
      }
      expect(shown).not.toContain("Raw body");
    },
  );

  it("in the callback has the state redacted", async () => {
    await using scene = await openScene();
    let state = "";
    const oauth = scene.again({
      authorize: async (url) => {
        state = url.searchParams.get("state") ?? "";
        scene.authority.behave({ callback: { code: null, error: "denied", error_description: state } });
        await visit(url, []);
      },
    });
    const failure = await oauth.login(scene.server).catch((thrown: Error) => thrown);
    expect(String(failure)).toContain("denied: [redacted]");
    expect(`${failure} ${(failure as Error).cause}`).not.toContain(state);
  });
});

describe("an error in the callback", () => {
  const refusal = { code: null, error: "access_denied", error_description: "call 555-0100" };

  it.each([
    ["names another issuer", "https://evil.example", false],
    ["lacks the promised issuer", null, true],
  ])("that %s is not trusted and not quoted", async (_, iss, isPromised) => {
    await using scene = await openScene({
      behavior: {
        metadata: { authorization_response_iss_parameter_supported: isPromised },
        callback: { ...refusal, iss },
      },
    });
    const failure = await scene.oauth.login(scene.server).catch((thrown: Error) => thrown);
    expect(failure).toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("did not come from the expected authorization server"),
    });
    expect(String(failure)).not.toContain("555");
  });

  it("that names the right issuer is quoted", async () => {
    await using scene = await openScene();
    const metadata = { authorization_response_iss_parameter_supported: true };
    scene.authority.behave({ metadata, callback: { ...refusal, iss: scene.authority.issuer } });
    await expect(scene.oauth.login(scene.server)).rejects.toThrow("access_denied: call 555-0100");
  });
});

describe("a caller waiting for a login or a renewal", () => {
  it("keeps waiting when another caller gives up, and gets its own scopes", async () => {
    await using scene = await openScene();
    const shown = Promise.withResolvers<URL>();
    const authorize = async (url: URL) => shown.resolve(url);
    const control = new AbortController();
    const login = (options: LoginOptions) => scene.oauth.login(scene.server, options);
    const first = login({ authorize, signal: control.signal });
    const second = login({ authorize });
    const third = login({ scopes: ["admin"] });
    const page = await shown.promise;
    const given = expect(first).rejects.toMatchObject({ code: "MCP_ABORTED" });
    control.abort();
    await given;
    await visit(page, []);
    expect((await second).scopes).not.toContain("admin");
    expect((await third).scopes).toContain("admin");
    expect(scene.pages).toHaveLength(1);
  });

  it("can abort a challenge while another caller holds the lock", async () => {
    await using scene = await openScene();
    await scene.oauth.login(scene.server);
    await scene.oauth.headers(scene.server);
    const held = Promise.withResolvers<void>();
    const turn = scene.vault.exclusively(scene.server.url, () => held.promise, new AbortController().signal);
    const control = new AbortController();
    const challenge = { status: 401, wwwAuthenticate: "Bearer" } as const;
    const met = scene.oauth.onChallenge(scene.server, challenge, { signal: control.signal });
    const given = expect(met).rejects.toMatchObject({ code: "MCP_ABORTED" });
    control.abort();
    await given;
    held.resolve();
    await turn;
  });
});

describe("a login page that cannot be shown", () => {
  it.each([
    async () => Promise.reject(new Error("no browser")),
    () => {
      throw new Error("no browser");
    },
  ])("is the reason in the error, without the token endpoint", async (authorize) => {
    await using scene = await openScene({ oauth: { authorize } });
    const failure = await scene.oauth.login(scene.server).catch((thrown: Error) => thrown);
    expect(failure).toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("the login page could not be shown: no browser"),
    });
    expect(String(failure)).not.toContain("/token");
  });

  it("is the reason in the error even if the thrown value has no text", async () => {
    const authorize = () => Promise.reject(Object.create(null));
    await using scene = await openScene({ oauth: { authorize } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringContaining("could not be shown: a value without a text"),
    });
  });
});

describe("the settings of an entry", () => {
  it("are read again for every login and renewal, and after a failure", async () => {
    let reads = 0;
    const settingsOf = () => {
      reads += 1;
      if (reads === 1) throw new Error("the key store is locked");
      return { settings: { clientId: "fixed", clientSecret: `secret-${reads}` } };
    };
    await using scene = await openScene({
      behavior: { metadata: BY_POST },
      oauth: { settingsOf },
    });
    await expect(scene.oauth.login(scene.server)).rejects.toThrow("locked");
    await scene.oauth.login(scene.server);
    await scene.oauth.login(scene.server);
    scene.clock.now += HOUR_MS;
    await scene.oauth.headers(scene.server);
    await scene.oauth.headers(scene.server);
    const sent = scene.authority.requestsTo("/token").map(({ parameters }) => parameters.client_secret);
    expect(sent).toEqual(["secret-2", "secret-3", "secret-4"]);
    expect(reads).toBe(4);
  });

  it("keep one client from sending the token that another client has stored", async () => {
    await using scene = await openScene();
    const oauthOf = (settings: OAuthSettings) => scene.again({ settingsOf: () => ({ settings }) });
    const one = oauthOf({ clientId: "one" });
    const other = oauthOf({ clientId: "other" });
    await one.login(scene.server);
    expect(await one.headers(scene.server)).toHaveProperty("authorization");
    await other.login({ ...scene.server });
    scene.clock.now += HOUR_MS;
    expect(await one.headers(scene.server)).toEqual({});
    expect(await reach(one, scene.server)).toBe(200);
    expect((await scene.vault.forServer(scene.server.url))?.clientId).toBe("one");
  });
});
