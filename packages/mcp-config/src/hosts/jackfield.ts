import type { DefinedIn } from "@jackfield/mcp-core";
import type { JsonMap } from "../documents/json-value.ts";
import {
  COMMON_FIELDS,
  COMMON_TRANSPORT,
  entryDialect,
  type RemarkOnEntry,
} from "../entries/entry-dialect.ts";
import { OWN_VARIABLES } from "../variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { applicationData, folderIn, namedFolder, upward, within } from "./host-paths.ts";

const HOME = namedFolder("JACKFIELD_HOME", folderIn(applicationData, "jackfield"));

/** Jackfield's own files, and `.mcp.json`, which many programs share. Nothing in them is guessed. */
export const JACKFIELD: HostDialect = {
  id: "jackfield",
  title: "Jackfield",
  format: "strict-json",
  files: [
    { kind: "project", scope: "project", paths: upward(".mcp.json") },
    { kind: "user", scope: "user", paths: within(HOME, "mcp.json") },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect(
    {
      transport: COMMON_TRANSPORT,
      fields: {
        ...COMMON_FIELDS,
        envFile: "envFile",
        timeoutMs: ["callTimeoutMs", "timeout"],
        connectTimeoutMs: ["connectTimeoutMs"],
        maxTotalMs: ["maxTotalMs"],
        maxMessageBytes: "maxMessageBytes",
        maxTools: "maxTools",
        trustAnnotations: "trustAnnotations",
        era: "era",
        lazy: "lazy",
        shared: "shared",
      },
      switches: ["enabled", "disabled"],
      toolsObject: "tools",
      oauth: { object: "oauth" },
      reshape,
    },
    true,
  ),
  variables: OWN_VARIABLES,
};

/** Some programs count seconds in `timeout`. A value that looks like seconds is still read as milliseconds, but causes a remark. */
function reshape(entry: JsonMap, remark: RemarkOnEntry, _platform: unknown, { file }: DefinedIn): JsonMap {
  const { timeout, callTimeoutMs } = entry;
  const isShort = typeof timeout === "number" && timeout > 0 && timeout < 1000;
  if (isShort && callTimeoutMs === undefined && file !== undefined) {
    const advice = `write ${timeout * 1000} if you meant seconds, otherwise "callTimeoutMs"`;
    remark("deprecated-field", "timeout", `"timeout" is in milliseconds; ${advice}.`);
  }
  return entry;
}
