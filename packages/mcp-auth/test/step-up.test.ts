import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

const scopesAsked = (scene: Awaited<ReturnType<typeof openScene>>) =>
  scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.scope);

describe("a request that needs more than the login may do", () => {
  it("[A24] asks once more, for what was granted and what is wanted together", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    scene.guard({ scope: "write" });
    expect(await reach(scene.oauth, scene.server)).toBe(200);
    expect(scopesAsked(scene)).toEqual(["read", "read write"]);
    expect((await scene.vault.forServer(scene.server.url))?.scopes).toEqual(["read", "write"]);
    expect(scene.authority.requestsTo("/register")).toHaveLength(1);
  });

  it("[A24] [T42] does not ask again for what was asked for and not granted", async () => {
    await using scene = await openScene({ guard: { scope: "read" } });
    await reach(scene.oauth, scene.server);
    scene.guard({ scope: "admin" });
    scene.authority.behave({ grantedScope: "read" });
    expect(await reach(scene.oauth, scene.server)).toBe(403);
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      httpStatus: 403,
      message: expect.stringContaining("more than its authorization server grants (admin)"),
    });
    expect(scopesAsked(scene)).toEqual(["read", "read admin"]);
  });

  it("[A24] fails where nobody can be asked, and the command it names asks for both as well", async () => {
    await using scene = await openScene({ guard: { scope: "read" }, isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    for (const scope of ["write", "read write"]) {
      scene.guard({ scope });
      await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        httpStatus: 403,
        message: expect.stringMatching(/jackfield login files --scope "read write"$/),
      });
    }
  });

  it("is refused for good by a 403 that names no missing scope", async () => {
    await using scene = await openScene();
    await reach(scene.oauth, scene.server);
    const challenge = { status: 403, wwwAuthenticate: 'Bearer error="invalid_request"' } as const;
    const { signal } = new AbortController();
    expect(await scene.oauth.onChallenge(scene.server, challenge, signal)).toBe("fail");
    expect(scene.pages).toHaveLength(1);
  });
});
