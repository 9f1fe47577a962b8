// The files of the repository: those git tracks, and new ones it does not ignore.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { root } from "./workspace.mjs";

export function trackedFiles(...patterns) {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--", ...patterns], {
    cwd: root,
    encoding: "utf8",
  });
  return list.split("\n").filter((file) => file !== "" && existsSync(`${root}/${file}`));
}

/** Prints what was found and ends the process accordingly. */
export function conclude(problems) {
  for (const problem of problems) console.error(problem);
  process.exit(problems.length === 0 ? 0 : 1);
}
