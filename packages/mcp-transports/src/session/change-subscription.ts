import type { JsonObject, Logger } from "@jackfield/mcp-core";
import type { Client, SubscriptionFilter } from "@modelcontextprotocol/client";

/** What a server announces that its list of something may change with. */
const CHANGES = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;

/**
 * From 2026-07-28 on a server tells of changed lists only to who has asked (`subscriptions/listen`). We ask, and wait for
 * nothing: a session without such news is still a session.
 */
export function subscribeToChanges(
  client: Client,
  capabilities: JsonObject,
  { server, log }: { readonly server: string; readonly log: Logger },
): void {
  if (client.getProtocolEra() !== "modern") return;
  const filter: SubscriptionFilter = {};
  for (const [kind, flag] of Object.entries(CHANGES)) {
    const announced = capabilities[kind] as { readonly listChanged?: unknown } | undefined;
    if (announced?.listChanged === true) filter[flag] = true;
  }
  if (Object.keys(filter).length === 0) return;
  client.listen(filter).catch((error: unknown) => {
    log("debug", "The server does not tell of changed lists.", { server, error: String(error) });
  });
}
