import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import { createStdioTransport } from "../stdio/stdio-transport.ts";
import type { Opener } from "./opener.ts";

/** A channel to a server that runs as a child process. */
export const openStdio: Opener<ResolvedStdioServer> = async (server, { registry, maxMessageBytes }) => {
  const transport = createStdioTransport(server, { registry, maxMessageBytes });
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
