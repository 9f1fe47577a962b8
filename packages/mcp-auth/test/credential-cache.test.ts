import { McpError, silentLogger } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CredentialCache } from "../src/credential-cache.ts";
import { createFileVault, createMemoryVault, type StoredCredential, type TokenVault } from "../src/index.ts";
import { SERVER_URL, sampleCredential } from "./vault/sample-credential.ts";
import { temporaryDirectory } from "./vault/vault-process.ts";

useLeakCheck();
afterEach(() => {
  vi.useRealTimers();
});

const OLD = sampleCredential({ number: 1 });
const RENEWED = sampleCredential({ number: 2 });
const NEW_LOGIN = { ...sampleCredential({ number: 3 }), scopes: ["read", "admin"] };

/** A credential cache, as each process has one for its vault. */
function cacheFor(vault: TokenVault, now: () => number = () => OLD.obtainedAt) {
  const log = vi.fn(silentLogger);
  const { signal } = new AbortController();
  return { log, ...bound(new CredentialCache({ serverUrl: SERVER_URL, vault, now, log, signal })) };
}

function bound(cache: CredentialCache) {
  return {
    current: () => cache.current(),
    reload: () => cache.reload(),
    forget: cache.forget.bind(cache),
    replace: (credential: StoredCredential) => cache.replace(credential),
    renew: cache.renew.bind(cache),
    renewIfDue: cache.renewIfDue.bind(cache),
  };
}

/** An authorization server that answers only when `answer` is called. */
function slowAuthority(kind: "renewed" | "refused" = "renewed") {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const redeem = async () => {
    asked.resolve();
    await answer.promise;
    return kind === "renewed"
      ? ({ kind, credential: RENEWED } as const)
      : ({ kind, reason: "invalid_grant" } as const);
  };
  return { redeem, asked: asked.promise, answer: answer.resolve };
}

const vaults = {
  "in one process": () => {
    const vault = createMemoryVault();
    return [vault, vault] as const;
  },
  "in two processes": () => {
    const directory = temporaryDirectory();
    return [createFileVault({ directory }), createFileVault({ directory })] as const;
  },
};

describe.each(Object.entries(vaults))("a slow renewal %s", (where, open) => {
  const isShared = where === "in one process";
  const openCaches = async () => {
    const [vault, other] = open();
    await vault.write(OLD);
    const renewing = cacheFor(vault);
    return { vault, renewing, acting: isShared ? renewing : cacheFor(other) };
  };

  it("does not undo a logout", async () => {
    const { vault, renewing, acting } = await openCaches();
    const authority = slowAuthority();
    const renewal = renewing.renew(OLD, authority.redeem);
    await authority.asked;
    expect(await acting.forget()).toBe(true);
    authority.answer();
    expect(await renewal).toBeUndefined();
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    expect(await renewing.current()).toBeUndefined();
    expect(await acting.current()).toBeUndefined();
  });

  it.each(["renewed", "refused"] as const)("does not overwrite a new login when it is %s", async (kind) => {
    const { vault, renewing, acting } = await openCaches();
    const authority = slowAuthority(kind);
    const renewal = renewing.renew(OLD, authority.redeem);
    await authority.asked;
    await acting.replace(NEW_LOGIN);
    authority.answer();
    expect(await renewal).toMatchObject({ scopes: NEW_LOGIN.scopes, tokens: NEW_LOGIN.tokens });
    expect(await vault.forServer(SERVER_URL)).toMatchObject({ tokens: NEW_LOGIN.tokens });
    expect(await renewing.current()).toMatchObject({ tokens: NEW_LOGIN.tokens });
    expect(renewing.log).not.toHaveBeenCalled();
  });
});

describe("a logout while a renewal is being stored", () => {
  it("waits for the write and then deletes the stored login", async () => {
    const memory = createMemoryVault();
    const storing = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const vault: TokenVault = {
      ...memory,
      async write(credential) {
        storing.resolve();
        await stored.promise;
        await memory.write(credential);
      },
    };
    await memory.write(OLD);
    const cache = cacheFor(vault);
    const renewal = cache.renew(OLD, async () => ({ kind: "renewed", credential: RENEWED }));
    await storing.promise;
    const forgotten = cache.forget();
    stored.resolve();
    await renewal;
    expect(await forgotten).toBe(true);
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    expect(await cache.current()).toBeUndefined();
  });
});

describe("while another caller holds the lock", () => {
  const openBlocked = async () => {
    const vault = createMemoryVault();
    await vault.write(OLD);
    const held = Promise.withResolvers<void>();
    const turn = vault.exclusively(SERVER_URL, () => held.promise, new AbortController().signal);
    const release = async () => {
      held.resolve();
      await turn;
    };
    return { vault, release };
  };

  it("a logout already hides the credential it will delete", async () => {
    const { vault, release } = await openBlocked();
    const cache = cacheFor(vault);
    const forgotten = cache.forget();
    expect(await cache.current()).toBeUndefined();
    await release();
    expect(await forgotten).toBe(true);
  });

  it("a logout does not delete a login that another client has stored since", async () => {
    const { vault, release } = await openBlocked();
    const asked = Promise.withResolvers<void>();
    const forgotten = cacheFor(vault).forget(({ clientId }) => {
      asked.resolve();
      return clientId === undefined;
    });
    await asked.promise;
    await vault.write({ ...NEW_LOGIN, clientId: "other" });
    await release();
    expect(await forgotten).toBe(false);
    expect(await vault.forServer(SERVER_URL)).toMatchObject({ clientId: "other" });
  });

  it("an aborted renewal ends at once, and another one still runs later", async () => {
    const { vault, release } = await openBlocked();
    const cache = cacheFor(vault);
    const redeem = vi.fn(async () => ({ kind: "renewed", credential: RENEWED }) as const);
    const control = new AbortController();
    const given = expect(cache.renew(OLD, redeem, control.signal)).rejects.toMatchObject({
      code: "MCP_ABORTED",
    });
    const other = cache.renew(OLD, redeem);
    control.abort();
    await given;
    expect(redeem).not.toHaveBeenCalled();
    await release();
    expect(await other).toEqual(RENEWED);
  });

  it("a renewal that cannot get the lock logs once and returns the old token", async () => {
    const vault: TokenVault = {
      ...createMemoryVault(),
      exclusively: async () => {
        throw new McpError("MCP_LIMIT_EXCEEDED", "Another process has held it for too long.");
      },
    };
    const cache = cacheFor(vault, () => (OLD.expiresAt ?? 0) + 1);
    expect(await cache.renewIfDue(OLD, slowAuthority().redeem)).toBe(OLD);
    expect(cache.log).toHaveBeenCalledOnce();
  });

  it("a file vault stops waiting after 45 seconds, even if the clock is set back", async () => {
    const directory = temporaryDirectory();
    const { signal } = new AbortController();
    const [one, other] = [createFileVault({ directory }), createFileVault({ directory })];
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const hold = () => {
      begun.resolve();
      return held.promise;
    };
    const turn = one.exclusively(SERVER_URL, hold, signal);
    await begun.promise;
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const waiting = other.exclusively(SERVER_URL, async () => "had", signal);
    vi.advanceTimersByTime(46_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    await expect(waiting).rejects.toMatchObject({ code: "MCP_LIMIT_EXCEEDED" });
    held.resolve();
    await turn;
  });
});

describe("a renewal during close", () => {
  it("sends no refresh token and keeps the stored login", async () => {
    const vault = createMemoryVault();
    await vault.write(OLD);
    const closing = new AbortController();
    const now = () => OLD.obtainedAt;
    const { signal } = closing;
    const cache = new CredentialCache({ serverUrl: SERVER_URL, vault, now, log: silentLogger, signal });
    let isSent = false;
    const renewal = cache.renew(OLD, async (_, onSending) => {
      closing.abort(new McpError("MCP_CLOSED", "OAuth was closed."));
      await onSending();
      isSent = true;
      return { kind: "renewed", credential: RENEWED };
    });
    await expect(renewal).rejects.toMatchObject({ code: "MCP_CLOSED" });
    expect(isSent).toBe(false);
    expect(await vault.forServer(SERVER_URL)).toEqual(OLD);
  });
});

describe("the warning about a renewal that cannot be stored", () => {
  it("is logged even if the thrown value has no text", async () => {
    const memory = createMemoryVault();
    await memory.write(OLD);
    const write = async () => Promise.reject(Object.create(null));
    const cache = cacheFor({ ...memory, write });
    expect(await cache.renew(OLD, async () => ({ kind: "renewed", credential: RENEWED }))).toBe(RENEWED);
    expect(cache.log).toHaveBeenCalledWith("warn", expect.stringContaining("could not be stored"), {
      serverUrl: SERVER_URL,
      error: "a value without a text",
    });
  });

  it("contains no secrets, even if the error quotes them", async () => {
    const memory = createMemoryVault();
    const vault: TokenVault = {
      ...memory,
      write: async (credential) => {
        throw new Error(`no room for ${JSON.stringify(credential)}`);
      },
    };
    await memory.write(OLD);
    const cache = cacheFor(vault);
    await cache.renew(OLD, async () => ({ kind: "renewed", credential: RENEWED }));
    const said = JSON.stringify(cache.log.mock.calls);
    expect(said).toContain("could not be stored");
    expect(said).not.toMatch(/access-2|refresh-2|client-secret/);
  });
});
