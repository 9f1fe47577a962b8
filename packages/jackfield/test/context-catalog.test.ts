import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";
import { scriptedServer } from "./scripted-server.ts";

useLeakCheck();

const RESOURCES = [{ uri: "file:///readme", name: "readme" }];
const PROMPTS = [{ name: "review", description: "Reviews." }];

it("the next runtime serves resources and prompts from the catalog if the server does not start", async () => {
  using folder = temporaryFolder();
  const server = scriptedServer(folder, "docs");
  server.behave({ resources: RESOURCES, prompts: PROMPTS });
  const options = {
    servers: { docs: server.definition },
    discover: false,
    cache: { path: folder.file("cache") },
    retry: { maxRetries: 0 },
  } as const;
  const first = await openMcp(options);
  const live = { resources: await first.resources("docs"), prompts: await first.prompts("docs") };
  const templates = await first.resourceTemplates("docs");
  await first.close();
  expect(live).toEqual({
    resources: RESOURCES.map((resource) => ({ ...resource, server: "docs" })),
    prompts: PROMPTS.map((prompt) => ({ ...prompt, server: "docs" })),
  });

  server.behave({ exitOn: "start" });
  const second = await openMcp(options);
  try {
    await vi.waitFor(() => expect(second.servers()).toMatchObject([{ status: "failed" }]));
    expect({ resources: await second.resources("docs"), prompts: await second.prompts() }).toEqual(live);
    expect(await second.resourceTemplates("docs")).toEqual(templates);
    await expect(second.readResource("docs", "file:///readme")).rejects.toMatchObject({
      outcome: "not-sent",
    });
  } finally {
    await second.close();
  }
});

it("resource subscriptions are restored after the server restarts", async () => {
  using folder = temporaryFolder();
  const server = scriptedServer(folder, "docs");
  server.behave({ resources: RESOURCES });
  const mcp = await openMcp({
    servers: { docs: server.definition },
    discover: false,
    cache: false,
    retry: { initialDelayMs: 0, jitter: "none" },
  });
  try {
    await mcp.subscribe("docs", "file:///readme", () => {});
    await mcp.subscribe("docs", "file:///other", () => {});
    const subscribed = () =>
      server.record().filter((one) => one.event === "received" && one.method === "resources/subscribe");
    expect(subscribed()).toHaveLength(2);
    const pid = server.record().find((one) => one.event === "started")?.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(subscribed()).toHaveLength(4));
    const again = new Set(
      subscribed()
        .slice(2)
        .map((one) => one.pid),
    );
    expect([...again]).not.toEqual([pid]);
  } finally {
    await mcp.close();
  }
});
