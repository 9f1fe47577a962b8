import type { ApprovalLedger, ServerApprover } from "@jackfield/mcp-config";
import { approvalRequest, definitionContent } from "@jackfield/mcp-config/runtime";
import { type Logger, type ServerDefinition, thrownText } from "@jackfield/mcp-core";

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
export function createApprovalDesk({ ledger, approve, log, signal }: ApprovalDeskOptions): ApprovalDesk {
  const asked = new Set<string>();
  /** Contents approved in this run, including those that could not be saved. */
  const grantedNow = new Set<string>();

  async function askAbout(definition: ServerDefinition, approver: ServerApprover): Promise<boolean> {
    // A frozen copy: whoever holds the original could change it before it is approved.
    const request = approvalRequest(frozen(structuredClone(definition)));
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

function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === "object" && member !== null) frozen(member);
  return Object.freeze(value);
}
