import { expect, test } from "vitest";
import { useHomeFolder } from "./home-folder.ts";

const homeWith = useHomeFolder();
const server = { command: "true" };

/** Whether each server is enabled, by name. */
function enabledByName(
  servers: readonly { readonly name: string; readonly enabled?: boolean | undefined }[],
) {
  return Object.fromEntries(servers.map(({ name, enabled }) => [name, enabled !== false]));
}

test("a project's lists switch its own servers and the user's off, and never one on", async () => {
  const { discover } = await homeWith({
    ".gemini/settings.json": {
      mcpServers: { mine: server, unwanted: server },
      mcp: { excluded: ["unwanted"] },
    },
    "work/.gemini/settings.json": {
      mcpServers: { its: server, own: server },
      mcp: { allowed: ["its", "unwanted"], excluded: ["mine"] },
    },
  });
  const { servers } = await discover({ hosts: ["gemini"] });
  expect(enabledByName(servers)).toEqual({ mine: false, unwanted: false, its: true, own: false });
});

test("the user's exclude list disables a project's server", async () => {
  const { discover } = await homeWith({
    ".gemini/settings.json": { mcp: { excluded: ["its"] } },
    "work/.gemini/settings.json": { mcpServers: { its: server, own: server } },
  });
  const { servers } = await discover({ hosts: ["gemini"] });
  expect(enabledByName(servers)).toEqual({ its: false, own: true });
});
