import { expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

test("the old settings for logins are read and told of", async () => {
  const entry = { type: "http", url: "https://host.example", oauth: { clientId: "c", callbackPort: 1234 } };
  const { servers, diagnostics } = await parse({ mcpServers: { s: entry } }, { host: "copilot-cli" });
  expect(servers[0]?.definition).toMatchObject({ oauth: { clientId: "c", callbackPort: 1234 } });
  expect(diagnostics).toMatchObject([{ code: "legacy-field", pointer: "/mcpServers/s/oauth" }]);
});
