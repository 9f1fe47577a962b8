import { connectorSuite, createInProcessFaultServer } from "@jackfield/test-kit";
import { createConnector } from "../../src/index.ts";

connectorSuite("in process", async (script) => {
  const server = createInProcessFaultServer(script);
  return {
    connector: createConnector(),
    server: { transport: "in-process", name: "guest", secrets: [], server },
    received: () => server.received,
    lose: () => server.close(),
    dispose: () => server.close(),
  };
});
