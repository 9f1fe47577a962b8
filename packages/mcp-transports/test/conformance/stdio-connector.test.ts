import { connectorSuite } from "@jackfield/test-kit";
import { createConnector } from "../../src/index.ts";
import { prepareFaultServer } from "./fault-server.ts";

connectorSuite("stdio", async (script) => {
  const { server, records, dispose } = prepareFaultServer(script);
  return {
    connector: createConnector(),
    server,
    received: () => records().filter((record) => record.event === "received"),
    lose() {
      const last = records().at(-1);
      if (last) process.kill(last.pid, "SIGKILL");
    },
    dispose: async () => dispose(),
  };
});
