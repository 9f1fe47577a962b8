import type { JsonMap } from "../documents/json-value.ts";
import type { EntryRules } from "../entries/entry-dialect.ts";

/** For hosts that read an `envFile` for child processes only: beside a URL it is reported and kept, but never read. */
export const ENV_FILE_OF_PROCESS = {
  reshape: (entry, remark) => {
    if (!isIdle(entry)) return entry;
    const { envFile: _idle, ...others } = entry;
    remark("unused-field", "envFile", `"envFile" has no effect for a server that is not a child process.`);
    return others;
  },
  removedFields: (entry) => (isIdle(entry) ? { envFile: entry.envFile } : undefined),
} as const satisfies Pick<EntryRules, "reshape" | "removedFields">;

function isIdle({ envFile, command, url }: JsonMap): boolean {
  return envFile !== undefined && command === undefined && url !== undefined;
}
