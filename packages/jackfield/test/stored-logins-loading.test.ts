import { mkdirSync } from "node:fs";
import { type ResolvedServer, silentLogger } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it, vi } from "vitest";
import { beginClosing } from "../src/closing-work.ts";
import { loginDirectory } from "../src/login-directory.ts";
import { createStoredLogins } from "../src/stored-logins.ts";
import { useTemporaryHome } from "./fixture.ts";

useLeakCheck();
useTemporaryHome();

const loading = vi.hoisted(() => ({ fails: false }));
vi.mock("@jackfield/mcp-auth", async (load) => {
  const actual = await load<typeof import("@jackfield/mcp-auth")>();
  return {
    ...actual,
    createFileVault: (options: Parameters<typeof actual.createFileVault>[0]) => {
      if (loading.fails) throw new Error("too many open files");
      return actual.createFileVault(options);
    },
  };
});

const SERVER: ResolvedServer = {
  name: "files",
  transport: "http",
  url: "http://127.0.0.1:1/mcp",
  headers: {},
  secrets: [],
};

it("a failed load of the login store is retried, and does not block close()", async () => {
  mkdirSync(loginDirectory(), { recursive: true, mode: 0o700 });
  const logins = createStoredLogins({ places: {}, http: undefined, log: silentLogger });
  const resolve = logins.follow(async () => SERVER);
  const server = await resolve({ name: "files" } as never, { signal: new AbortController().signal });
  loading.fails = true;
  const asked = { signal: new AbortController().signal };
  const failed = logins.auth.headers(server, asked);
  const closed = logins.close(beginClosing());
  await expect(failed).rejects.toThrow("too many open files");
  await closed;
  loading.fails = false;
  expect(await logins.auth.headers(server, asked)).toEqual({});
  await logins.close(beginClosing());
});
