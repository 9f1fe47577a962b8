import { describe } from "vitest";
import { useLeakCheck } from "../leak-check.ts";
import { describeEnds } from "./connector-ends.ts";
import { describeLists } from "./connector-lists.ts";
import { describeOpenings } from "./connector-openings.ts";
import { describeRequests } from "./connector-requests.ts";
import { createConnectorBench, type OpenConnectorUnderTest } from "./connector-under-test.ts";

/** What a transport cannot do by its nature. */
export interface ConnectorSuiteOptions {
  /** Whether a server can tell of progress before it answers; a plain JSON answer to a POST leaves no room. Default true. */
  readonly carriesProgress?: boolean | undefined;
  /** Whether a modern server is told of an abort by a message; over HTTP the end of the stream says it. Default true. */
  readonly cancelsByMessage?: boolean | undefined;
}

/**
 * Registers what every `Connector` must pass, for servers of both eras. Each test has a server of its own, made by `open`
 * for the test's script, and fails if anything that was opened for it is left afterwards.
 */
export function connectorSuite(
  name: string,
  open: OpenConnectorUnderTest,
  options: ConnectorSuiteOptions = {},
): void {
  const { carriesProgress = true, cancelsByMessage = true } = options;
  describe.each(["legacy", "modern"] as const)(`${name} is a connector to %s servers`, (era) => {
    useLeakCheck();
    const bench = createConnectorBench(era, open);
    describeOpenings(bench, era);
    describeLists(bench, era);
    describeRequests(bench, { carriesProgress, tellsOfAborts: era === "legacy" || cancelsByMessage });
    describeEnds(bench, era);
  });
}
