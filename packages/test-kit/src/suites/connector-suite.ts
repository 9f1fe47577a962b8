import type { ProtocolEra } from "@jackfield/mcp-core";
import { describe } from "vitest";
import { describeEnds } from "./connector-ends.ts";
import { describeLists } from "./connector-lists.ts";
import { describeOpenings } from "./connector-openings.ts";
import { describeRenewals } from "./connector-renewals.ts";
import { describeRequests } from "./connector-requests.ts";
import { createConnectorBench, type OpenConnectorUnderTest } from "./connector-under-test.ts";

/** The capabilities of a transport. */
export interface ConnectorSuiteOptions {
  /** The eras of the transport's servers; the old SSE transport has `legacy` only. Default: both. */
  readonly eras?: readonly ProtocolEra[] | undefined;
  /** Whether a server can report progress before it answers; a plain JSON answer to a POST cannot carry any. Default true. */
  readonly carriesProgress?: boolean | undefined;
  /** Whether an abort is sent to a modern server as a message; over HTTP, the stream is closed instead. Default true. */
  readonly cancelsByMessage?: boolean | undefined;
  /**
   * Whether a legacy session that its server has forgotten is renewed transparently, as over Streamable HTTP. The
   * `ConnectorUnderTest` then needs a `forget`. Default false.
   */
  readonly renewsSessions?: boolean | undefined;
}

/**
 * Registers the tests that every `Connector` must pass, for servers of each era. Each test has its own server, which `open`
 * creates for the test's script. The tests run concurrently and close everything they open. To check that the connector leaks
 * nothing, call `useLeakCheck` before this or in a setup file.
 */
export function connectorSuite(
  name: string,
  open: OpenConnectorUnderTest,
  options: ConnectorSuiteOptions = {},
): void {
  const { eras = ["legacy", "modern"], carriesProgress = true, cancelsByMessage = true } = options;
  describe.concurrent.each(eras)(`${name} as a connector to %s servers`, (era) => {
    const bench = createConnectorBench(era, open);
    // A transport without modern servers need not probe for them.
    describeOpenings(bench, { era, isProbed: era === "legacy" && eras.includes("modern") });
    describeLists(bench, era);
    describeRequests(bench, { carriesProgress, tellsOfAborts: era === "legacy" || cancelsByMessage });
    describeEnds(bench, era);
    if (era === "legacy" && options.renewsSessions) describeRenewals(bench);
  });
}
