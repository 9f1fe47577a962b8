import {
  type ApprovalLedger,
  approvalRequest,
  type ConfigProblem,
  createServerAdmission,
  definitionContent,
  type FoundServers,
  findServers,
  type ServerAdmission,
  type ServerApprover,
} from "@jackfield/mcp-config";
import { deepFreeze, type Logger, type ServerDefinition, thrownText } from "@jackfield/mcp-core";
import { openApprovals } from "./approval-store.ts";
import { type AdvisedServers, adviseApproval } from "./blocked-servers.ts";
import type { ReadConfiguration } from "./configuration.ts";
import { readConnectDeadline, withConnectDeadline } from "./connect-deadline.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { rewordedError } from "./reworded-error.ts";
import { discoveryOptions, searchedPlaces } from "./searched-places.ts";

/** Finds servers, and decides which of them are used. */
export interface ServerSearch extends Pick<ServerAdmission, "isAdmitted"> {
  /** Reads the passed servers and the files, and merges what may be used. It does not reject. */
  read(): Promise<ReadConfiguration>;
  /** The same without reading anything again. */
  merge(found: FoundServers): Promise<AdvisedServers>;
  /** Asks for approval of the servers that wait for it. */
  ask(merged: AdvisedServers, granted: () => void): void;
}

export function createServerSearch(options: OpenMcpOptions, log: Logger, signal: AbortSignal): ServerSearch {
  const { cwd, approval = {}, filters } = options;
  const ledger = openApprovals(approval.store, log);
  const desk = createApprovalDesk({ ledger, approve: approval.servers, log, signal });
  const admission = createServerAdmission({ ledger: desk, trust: approval.folders, filters });
  const deadlineMs = readConnectDeadline(process.env, log);
  const merge = async (found: FoundServers) => {
    const merged = adviseApproval(await found.merge(admission.admit), searchedPlaces(options));
    const problems = merged.problems.map(withOwnOptionName);
    return { ...merged, problems, servers: withConnectDeadline(merged.servers, deadlineMs) };
  };
  return {
    isAdmitted: admission.isAdmitted,
    async read() {
      const { servers, configFiles: files } = options; // Those of a runtime with an `id` change.
      const found = await findServers({ ...discoveryOptions(options), base: cwd ?? ".", servers, files });
      return { found, merged: await merge(found) };
    },
    merge,
    ask({ blocked }, granted) {
      const waiting = blocked.filter(({ by }) => by === "approval").map(({ definition }) => definition);
      desk.ask(waiting, granted);
    },
  };
}

const SEARCHED = "/files";
const OWN = "/configFiles";

/** A problem with `configFiles` under this name: the search, which has it as `files`, names it so. */
function withOwnOptionName(problem: ConfigProblem): ConfigProblem {
  const { definedIn, error } = problem;
  if (definedIn.file !== undefined || definedIn.pointer !== SEARCHED) return problem;
  const pointer = error.location?.pointer?.replace(SEARCHED, OWN) ?? OWN;
  const message = error.message.replace(`option "${SEARCHED}`, `option "${OWN}`);
  return {
    ...problem,
    definedIn: { ...definedIn, pointer: OWN },
    error: rewordedError(error, message, { ...error.location, pointer }),
  };
}

export interface ApprovalDeskOptions {
  /** Where approvals are kept between runs. */
  readonly ledger: ApprovalLedger;
  /** Asked for approval. Default: none, so nothing is asked. */
  readonly approve?: ServerApprover | undefined;
  readonly log: Logger;
  /** Cancels pending questions; answers that arrive later are ignored. */
  readonly signal: AbortSignal;
}

/** Asks for approval of definitions in the background, each at most once, and knows what was approved. */
export interface ApprovalDesk extends Pick<ApprovalLedger, "isApproved"> {
  /**
   * Asks about every definition that was not asked about yet, and returns at once.
   *
   * @param granted - called after each approval
   */
  ask(definitions: readonly ServerDefinition[], granted: () => void): void;
}

/** Questions block only the server concerned. */
function createApprovalDesk({ ledger, approve, log, signal }: ApprovalDeskOptions): ApprovalDesk {
  const asked = new Set<string>();
  /** Contents approved in this run, including those that could not be saved. */
  const grantedNow = new Set<string>();

  async function askAbout(definition: ServerDefinition, approver: ServerApprover): Promise<boolean> {
    // A frozen copy: whoever holds the original could change it before it is approved.
    const request = approvalRequest(deepFreeze(structuredClone(definition)));
    const server = definition.name;
    const isGranted = (await approver(request, { signal })) === true;
    if (signal.aborted) return false;
    if (!isGranted) {
      log("info", "The approver refused the server.", { server });
      return false;
    }
    grantedNow.add(definitionContent(request.definition));
    await ledger.approve(request.definition).catch((error: unknown) => {
      const reason = thrownText(error);
      log("warn", "The approval could not be stored, so it lasts only for this run.", {
        server,
        reason,
      });
    });
    return true;
  }

  return {
    async isApproved(definition) {
      return grantedNow.has(definitionContent(definition)) || (await ledger.isApproved(definition));
    },
    ask(definitions, granted) {
      if (approve === undefined) return;
      for (const definition of definitions) {
        const content = definitionContent(definition);
        if (asked.has(content)) continue;
        asked.add(content);
        askAbout(definition, approve).then(
          (isGranted) => {
            if (isGranted && !signal.aborted) granted();
          },
          (error: unknown) => {
            if (signal.aborted) return;
            log("warn", "The approver failed, so the server is not started.", {
              server: definition.name,
              error: thrownText(error),
            });
          },
        );
      }
    },
  };
}
