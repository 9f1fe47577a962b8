import { COMMON_FIELDS, COMMON_TRANSPORT, type ReshapeContext } from "../entry/entry-dialect.ts";
import type { JsonMap } from "../read/json-value.ts";
import { OWN_VARIABLES } from "../resolve/variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { applicationData, configHome, folderIn, inHome, namedFolder, upward, within } from "./host-paths.ts";

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
  misplaced: {
    user: (at) => [
      ...within(HOME, ".mcp.json", "mcp.jsonc", "config.json")(at),
      ...within(configHome, "mcp/mcp.json")(at),
      ...inHome(".jackfield/mcp.json", ".mcp.json")(at),
    ],
    project: upward("mcp.json", "mcp.jsonc", ".mcp.jsonc", ".mcp/mcp.json", ".jackfield/mcp.json"),
  },
  servers: serversUnder("mcpServers"),
  entry: {
    strict: true,
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      envFile: "envFile",
      timeoutMs: ["callTimeoutMs", "timeout"],
      connectTimeoutMs: ["connectTimeoutMs"],
      maxTotalMs: ["maxTotalMs"],
      maxMessageBytes: "maxMessageBytes",
      maxTools: "maxTools",
      maxConcurrentCalls: "maxConcurrentCalls",
      trustAnnotations: "trustAnnotations",
      checkArguments: "checkArguments",
      era: "era",
      lazy: "lazy",
      shared: "shared",
    },
    switches: ["enabled", "disabled"],
    toolsObject: "tools",
    oauth: { object: "oauth" },
    reshape,
  },
  variables: OWN_VARIABLES,
};

/** Some programs count seconds in `timeout`. A value that looks like seconds is still read as milliseconds, but causes a remark. */
function reshape(entry: JsonMap, { remark, definedIn: { file } }: ReshapeContext): JsonMap {
  const { timeout, callTimeoutMs } = entry;
  const isShort = typeof timeout === "number" && timeout > 0 && timeout < 1000;
  if (isShort && callTimeoutMs === undefined && file !== undefined) {
    const advice = `write ${timeout * 1000} if you meant seconds, otherwise "callTimeoutMs"`;
    remark("deprecated-field", "timeout", `"timeout" is in milliseconds; ${advice}.`);
  }
  return entry;
}
