// The program that `startHttpFaultProcess` starts: an HTTP fault server in its own process.
import type { HttpFaultScript } from "./http-fault-script.ts";
import { startHttpFaultServer } from "./http-fault-server.ts";
import { readLines } from "./line-reader.ts";

readLines(process.stdin, {
  async onLine(script) {
    const { url } = await startHttpFaultServer(JSON.parse(script) as HttpFaultScript);
    process.stdout.write(url);
  },
  // The parent has closed the server, or has ended.
  onEnd: () => process.exit(),
});
