import { type ConversationScript, connectorSuite, startHttpFaultServer } from "@jackfield/test-kit";
import { createConnector } from "../../src/index.ts";

const overHttp = (answer: "json" | "sse") => async (script: ConversationScript) => {
  const remote = await startHttpFaultServer({ ...script, answer });
  return {
    connector: createConnector(),
    server: { transport: "http", name: "remote", secrets: [], url: remote.url, headers: {} } as const,
    received: () => remote.requests.flatMap(({ body }) => body ?? []),
    lose: () => remote.forgetSessions(),
    dispose: () => remote.close(),
  };
};

connectorSuite("Streamable HTTP that answers with JSON", overHttp("json"), {
  carriesProgress: false,
  cancelsByMessage: false,
});
connectorSuite("Streamable HTTP that answers with events", overHttp("sse"), { cancelsByMessage: false });
