import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import { excerpt, redactorOf } from "../errors/wording.ts";
import { createStdioTransport } from "../stdio/stdio-transport.ts";
import { gracesWithin } from "../stdio/tree-end.ts";
import type { Opener } from "./opener.ts";

/** A channel to a server that runs as a child process. */
export const openStdio: Opener<ResolvedStdioServer> = async (
  server,
  { registry, maxMessageBytes, closeTimeoutMs, log },
) => {
  const transport = createStdioTransport(server, {
    maxMessageBytes,
    onStrayOutput: (line) =>
      log(
        "warn",
        "The server printed a line that is not a protocol message to its standard output; such lines are skipped.",
        {
          server: server.name,
          line: excerpt(line, redactorOf(server), { end: true }),
        },
      ),
    takeCharge: (child, input) =>
      registry.adopt(
        child,
        {
          server: server.name,
          graces: gracesWithin(closeTimeoutMs),
          log,
        },
        input,
      ),
  });
  return {
    transport,
    isPipe: true,
    facts: () => transport.facts(),
    close(options) {
      const closed = transport.close();
      if (options?.hurry) transport.hurry();
      return closed;
    },
  };
};
