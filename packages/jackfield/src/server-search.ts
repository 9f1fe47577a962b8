import type { FoundServers, ServerAdmission } from "@jackfield/mcp-config";
import { createServerAdmission, findServers } from "@jackfield/mcp-config/runtime";
import type { Logger } from "@jackfield/mcp-core";
import { createApprovalDesk } from "./approval-desk.ts";
import { openApprovals } from "./approval-store.ts";
import { type AdvisedServers, adviseApproval } from "./blocked-servers.ts";
import type { ReadConfiguration } from "./configuration.ts";
import { readConnectDeadline, withConnectDeadline } from "./connect-deadline.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { withOwnOptionName } from "./own-option-name.ts";
import { discoveryOptions, searchedPlaces } from "./searched-places.ts";

/** Finds servers, and decides which of them are used. */
export interface ServerSearch extends Pick<ServerAdmission, "isAdmitted"> {
  /** Reads the passed servers and the files, and merges what may be used. It does not reject. */
  read(): Promise<ReadConfiguration>;
  /** The same without reading anything again. */
  merge(found: FoundServers): Promise<AdvisedServers>;
  /** Warns of servers that wait for approval, unless the warning is unchanged, and asks for approval of them. */
  follow(merged: AdvisedServers, granted: () => void): void;
}

export function createServerSearch(options: OpenMcpOptions, log: Logger, signal: AbortSignal): ServerSearch {
  const { servers, configFiles: files, cwd, approve, approvals, trust, filters } = options;
  const desk = createApprovalDesk({ ledger: openApprovals(approvals, log), approve, log, signal });
  const admission = createServerAdmission({ ledger: desk, trust, filters });
  const places = searchedPlaces(options);
  const deadlineMs = readConnectDeadline(process.env, log);
  const merge = async (found: FoundServers) => {
    const merged = adviseApproval(await found.merge(admission.admit), places);
    const problems = merged.problems.map(withOwnOptionName);
    return { ...merged, problems, servers: withConnectDeadline(merged.servers, deadlineMs) };
  };
  let warned: string | undefined;
  return {
    isAdmitted: admission.isAdmitted,
    async read() {
      const found = await findServers({ ...discoveryOptions(options), base: cwd ?? ".", servers, files });
      return { found, merged: await merge(found) };
    },
    merge,
    follow({ blocked, approvalWarning: warning }, granted) {
      if (warning !== undefined && warning.message !== warned) log("warn", warning.message);
      warned = warning?.message;
      const waiting = blocked.filter(({ by }) => by === "approval").map(({ definition }) => definition);
      desk.ask(waiting, granted);
    },
  };
}
