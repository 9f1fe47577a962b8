import { type McpError, silentLogger, toMcpError } from "@jackfield/mcp-core";
import { probeApprovals } from "../../approval-store.ts";
import type { BlockedReport } from "../../blocked-servers.ts";
import { hasStateDirectory } from "../../unknown-home.ts";
import { type Finding, findingOf } from "./finding.ts";

/**
 * Whether approvals can be stored at all; otherwise every advised command would fail. An unknown home directory is a finding of its own.
 */
export async function approvalStoreFindings(blocked: readonly BlockedReport[]): Promise<readonly Finding[]> {
  if (!hasStateDirectory() || !blocked.some(({ by }) => by === "approval")) return [];
  const error = await probeApprovals(silentLogger).then(
    () => undefined,
    (thrown: unknown) => toMcpError(thrown, "MCP_INTERNAL", "Approvals cannot be stored."),
  );
  return error === undefined ? [] : [unusable(error)];
}

function unusable({ message, location }: McpError): Finding {
  const nextStep = "Fix this first: nothing can be approved until then.";
  return findingOf("approvals-unusable", message, nextStep, { file: location?.file });
}
