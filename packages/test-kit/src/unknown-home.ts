import { syncBuiltinESMExports } from "node:module";
import { onTestFinished, vi } from "vitest";

/**
 * Until the test ends, makes `os.homedir` and `os.userInfo` throw, as for a user without a home folder or an entry in the user database,
 * for example in a container that runs with an arbitrary user id.
 */
export function loseHome(): void {
  const system = process.getBuiltinModule("node:os");
  const unknown = () => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)");
  };
  const spies = [
    vi.spyOn(system, "homedir").mockImplementation(unknown),
    vi.spyOn(system, "userInfo").mockImplementation(unknown),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
}
