import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFileVault } from "../src/index.ts";
import { openScene, type Scene, visit } from "./scene.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { endProcess, nextMessage } from "./vault/vault-process.ts";

useLeakCheck();

const FIXTURE = fileURLToPath(new URL("./fixtures/calling-process.ts", import.meta.url));
const PROCESSES = 12;

interface Answer {
  readonly status: unknown;
  readonly headers: { readonly [name: string]: string };
}

/** A request of every process at the same time. */
async function reachFromAll(children: readonly ChildProcess[]): Promise<readonly Answer[]> {
  return Promise.all(
    children.map((child) => {
      const answer = nextMessage(child) as Promise<Answer>;
      child.send("go");
      return answer;
    }),
  );
}

describe.each([
  ["after the token has expired", 3_600_000],
  ["after the server has refused the token", 0],
])("each of twelve processes that share a login, %s", (_, aheadMs) => {
  const folder = temporaryFolder();
  let scene: Scene;
  let children: readonly ChildProcess[] = [];
  let answers: readonly Answer[] = [];

  // They go as fast as the machine lets them, which is no part of what is tested.
  beforeAll(async () => {
    scene = await openScene({
      isUnattended: true,
      oauth: { vault: createFileVault({ directory: folder.path }), now: Date.now },
    });
    await scene.oauth.login(scene.server, { authorize: (url) => visit(url, []) });
    const args = [folder.path, scene.guarded.url, String(aheadMs)];
    children = Array.from({ length: PROCESSES }, () => fork(FIXTURE, args, { execArgv: [] }));
    await Promise.all(children.map(nextMessage));
    if (aheadMs === 0) scene.authority.office.expireAccessTokens();
    answers = await reachFromAll(children);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(children.map(endProcess));
    await scene[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it("[T40] succeeds, and the refresh token is redeemed exactly once", () => {
    expect(answers).toHaveLength(PROCESSES);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ headers }) => headers.authorization)).size).toBe(1);
    const grants = scene.authority.requestsTo("/token").map(({ parameters }) => parameters.grant_type);
    expect(grants).toEqual(["authorization_code", "refresh_token"]);
    expect(scene.authority.office.replays).toBe(0);
  });
});
