import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

it("an unreadable client secret fails renewals and logins, but a valid token is still sent", async () => {
  let isLocked = false;
  const settings = { clientId: "fixed", clientSecret: "of-the-client" };
  const locked = new Error("the password manager is locked");
  const settingsOf = () =>
    isLocked ? { settings: { clientId: "fixed" }, clientSecretError: locked } : { settings };
  await using scene = await openScene({ oauth: { settingsOf } });
  await scene.oauth.login(scene.server);
  isLocked = true;
  const later = scene.again();
  expect(await reach(later, scene.server)).toBe(200);
  scene.authority.office.expireAccessTokens();
  await expect(reach(later, scene.server)).rejects.toMatchObject({ phase: "handshake", cause: locked });
  await expect(later.login(scene.server)).rejects.toBe(locked);
  expect(scene.pages).toHaveLength(1);
  isLocked = false;
  expect(await reach(later, scene.server)).toBe(200);
});
