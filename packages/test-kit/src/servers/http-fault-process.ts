// The program that `startHttpFaultProcess` starts: an HTTP fault server with a process to itself.
import type { HttpFaultScript } from "./http-fault-script.ts";
import { startHttpFaultServer } from "./http-fault-server.ts";
import { readLines } from "./line-reader.ts";

readLines(process.stdin, {
  async onLine(script) {
    const { url } = await startHttpFaultServer(JSON.parse(script) as HttpFaultScript);
    process.stdout.write(url);
  },
  // Whoever has started it has closed it, or is gone.
  onEnd: () => process.exit(),
});
