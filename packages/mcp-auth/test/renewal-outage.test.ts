import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

describe("a refresh token that is refused by who is down or busy", () => {
  it.each([
    [503, "invalid_client"],
    [500, "invalid_grant"],
    [429, "unauthorized_client"],
  ])("[A14] with status %d and %s is kept, and redeemed later", async (status, error) => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    await scene.oauth.headers(scene.server);
    scene.authority.office.expireAccessTokens();
    scene.authority.behave({ tokens: () => ({ status, body: { error } }) });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      httpStatus: status, // the outage's own: whether the server minds what else was sent, nobody knows
      message: expect.stringContaining("Try again later."),
    });
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });
});
