import { homedir } from "node:os";
import { join } from "node:path";
import { stateDirectory } from "./state-directory.ts";

/** Where logins are kept. Only the environment of this process says where that is, never a file of a project. */
export function loginDirectory(): string {
  const directory = stateDirectory({ platform: process.platform, env: process.env, home: homedir() });
  return join(directory, "logins");
}
