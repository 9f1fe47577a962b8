import type { ProtocolEra } from "@jackfield/mcp-core";
import { describe } from "vitest";
import { describeEnds } from "./connector-ends.ts";
import { describeLists } from "./connector-lists.ts";
import { describeOpenings } from "./connector-openings.ts";
import { describeRenewals } from "./connector-renewals.ts";
import { describeRequests } from "./connector-requests.ts";
import { createConnectorBench, type OpenConnectorUnderTest } from "./connector-under-test.ts";

/** What a transport can and cannot do by its nature. */
export interface ConnectorSuiteOptions {
  /** The eras whose servers are found behind the transport; the old SSE transport knows `legacy` only. Default: both. */
  readonly eras?: readonly ProtocolEra[] | undefined;
  /** Whether a server can tell of progress before it answers; a plain JSON answer to a POST leaves no room. Default true. */
  readonly carriesProgress?: boolean | undefined;
  /** Whether a modern server is told of an abort by a message; over HTTP the end of the stream says it. Default true. */
  readonly cancelsByMessage?: boolean | undefined;
  /**
   * Whether a legacy session that its server has forgotten is renewed beneath its callers, as over Streamable HTTP. What is
   * tested needs a `forget` then. Default false.
   */
  readonly renewsSessions?: boolean | undefined;
}

/**
 * Registers what every `Connector` must pass, for servers of each era. Each test has a server of its own, made by `open`
 * for the test's script. The tests run beside each other and close what they have opened; `useLeakCheck`, called before this or
 * in a setup file, sees to it that nothing else was.
 */
export function connectorSuite(
  name: string,
  open: OpenConnectorUnderTest,
  options: ConnectorSuiteOptions = {},
): void {
  const { eras = ["legacy", "modern"], carriesProgress = true, cancelsByMessage = true } = options;
  describe.concurrent.each(eras)(`${name} is a connector to %s servers`, (era) => {
    const bench = createConnectorBench(era, open);
    // Where no modern servers are to be found, a client need not ask for them.
    describeOpenings(bench, { era, isProbed: era === "legacy" && eras.includes("modern") });
    describeLists(bench, era);
    describeRequests(bench, { carriesProgress, tellsOfAborts: era === "legacy" || cancelsByMessage });
    describeEnds(bench, era);
    if (era === "legacy" && options.renewsSessions) describeRenewals(bench);
  });
}
