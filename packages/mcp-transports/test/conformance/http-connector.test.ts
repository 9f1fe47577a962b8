import { type ConversationScript, connectorSuite, startHttpFaultServer } from "@jackfield/test-kit";
import { createConnector } from "../../src/index.ts";

type Answering = "json" | "sse" | "legacy-sse";

const overHttp =
  (answer: Answering, transport: "http" | "sse" = "http") =>
  async (script: ConversationScript) => {
    const remote = await startHttpFaultServer({ ...script, answer });
    return {
      connector: createConnector(),
      server: { transport, name: "remote", secrets: [], url: remote.url, headers: {} } as const,
      received: () => remote.requests.flatMap(({ body }) => body ?? []),
      lose: () => (answer === "legacy-sse" ? remote.forgetSessions() : remote.loseSessions()),
      forget: () => remote.forgetSessions(),
      dispose: () => remote.close(),
    };
  };

connectorSuite("Streamable HTTP with JSON answers", overHttp("json"), {
  carriesProgress: false,
  cancelsByMessage: false,
  renewsSessions: true,
});
connectorSuite("Streamable HTTP with event stream answers", overHttp("sse"), {
  cancelsByMessage: false,
  renewsSessions: true,
});
connectorSuite("The older HTTP+SSE transport", overHttp("legacy-sse", "sse"), { eras: ["legacy"] });
connectorSuite("The older HTTP+SSE transport behind a Streamable HTTP entry", overHttp("legacy-sse"), {
  eras: ["legacy"],
});
