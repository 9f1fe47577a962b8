import { describe, expect, it, vi } from "vitest";
import { givenUp } from "../src/errors.ts";
import { SharedLogin, type WantedLogin } from "../src/shared-login.ts";
import { sampleCredential } from "./vault/sample-credential.ts";

const GIVEN_UP = { code: "MCP_ABORTED" };

function scripted() {
  const shared = new SharedLogin();
  const begun: { readonly signal: AbortSignal; readonly finish: () => void }[] = [];
  const make = (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof sampleCredential>>();
    const number = begun.length;
    begun.push({ signal, finish: () => resolve(sampleCredential({ number })) });
    signal.addEventListener("abort", () => reject(givenUp(signal)));
    return promise;
  };
  const authorize = async () => {};
  const join = (wanted: Partial<WantedLogin> = {}) =>
    shared
      .join({ subject: "s", scopes: [], authorize, signal: new AbortController().signal, ...wanted }, make)
      .then(({ obtainedAt }) => obtainedAt);
  return { begun, join };
}

describe("a login shared by several callers", () => {
  it("continues for the others when the caller that began it gives up", async () => {
    const { begun, join } = scripted();
    const control = new AbortController();
    const first = expect(join({ signal: control.signal })).rejects.toMatchObject(GIVEN_UP);
    const second = join();
    control.abort();
    await first;
    expect(begun[0]?.signal.aborted).toBe(false);
    begun[0]?.finish();
    expect(await second).toBe(0);
    expect(begun).toHaveLength(1);
  });

  it("lets a caller that joined give up at once", async () => {
    const { begun, join } = scripted();
    const control = new AbortController();
    const first = join();
    const second = expect(join({ signal: control.signal })).rejects.toMatchObject(GIVEN_UP);
    control.abort();
    await second;
    begun[0]?.finish();
    expect(await first).toBe(0);
  });

  it("aborts when the last caller gives up, and the next caller begins another", async () => {
    const { begun, join } = scripted();
    const controls = [new AbortController(), new AbortController()] as const;
    const waiting = controls.map(({ signal }) => expect(join({ signal })).rejects.toMatchObject(GIVEN_UP));
    controls[0].abort();
    expect(begun[0]?.signal.aborted).toBe(false);
    controls[1].abort();
    await Promise.all(waiting);
    const next = join();
    expect(begun[0]?.signal.aborted).toBe(true);
    await vi.waitUntil(() => begun.length === 2);
    begun[1]?.finish();
    expect(await next).toBe(1);
  });

  it.each<[string, Partial<WantedLogin>]>([
    ["other scopes", { scopes: ["admin"] }],
    ["its own authorize function", { authorize: async () => {} }],
    ["another client", { subject: "other" }],
  ])("ends before a login with %s begins", async (_, wanted) => {
    const { begun, join } = scripted();
    const first = join({ scopes: ["read"] });
    const second = join({ scopes: ["read"], ...wanted });
    expect(begun).toHaveLength(1);
    begun[0]?.finish();
    expect(await first).toBe(0);
    await vi.waitUntil(() => begun.length === 2);
    begun[1]?.finish();
    expect(await second).toBe(1);
  });

  it("serves a caller that wants fewer scopes", async () => {
    const { begun, join } = scripted();
    const both = [join({ scopes: ["read", "write"] }), join({ scopes: ["read"] })];
    begun[0]?.finish();
    expect(await Promise.all(both)).toEqual([0, 0]);
  });

  it("never begins if it is given up while it waits for another one", async () => {
    const { begun, join } = scripted();
    const control = new AbortController();
    const first = join();
    const second = expect(join({ subject: "other", signal: control.signal })).rejects.toMatchObject(GIVEN_UP);
    control.abort();
    await second;
    begun[0]?.finish();
    await first;
    expect(begun).toHaveLength(1);
  });
});
