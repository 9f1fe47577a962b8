import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { type Mcp, openMcp } from "../src/index.ts";
import { everything } from "./fixture.ts";

useLeakCheck();

type Shown = ReturnType<Mcp["servers"]>[number];

/** The status of a server as each of five runtimes words it, from nothing but what `servers()` says. */
const VIEWS: { readonly [runtime: string]: (server: Shown) => string } = {
  "oh-my-pi": ({ status, definedIn, error }) => {
    const isUnderWay = status === "connecting" || status === "backoff";
    const word = status === "ready" ? "connected" : isUnderWay ? "connecting" : "disconnected";
    return [word, `from ${definedIn.scope}`, ...(error === undefined ? [] : [error.code])].join(", ");
  },
  sidecar: ({ status, tools, transport, since }) => {
    const uptime = status === "ready" && Date.now() - since >= 0 ? ", up" : "";
    const words = { ready: "connected", connecting: "connecting", backoff: "failed", failed: "failed" };
    return `${(words as Record<string, string>)[status] ?? "disconnected"}, ${tools} tools, ${transport}${uptime}`;
  },
  "openai-agents": ({ status, error }) => (status === "ready" ? "active" : (error?.code ?? "inactive")),
  "claude-code": ({ status, error, tools }) => {
    if (status === "ready" && error !== undefined && tools === 0) return "connected · tools fetch failed";
    if (error?.code === "MCP_AUTH_REQUIRED") return "needs-auth";
    const words = { ready: "connected", connecting: "pending", backoff: "pending", failed: "failed" };
    return (words as Record<string, string>)[status] ?? "stopped";
  },
  hexos: ({ status }) => String(status === "ready"),
};

it("`servers()` is enough for the status views of five runtimes", async () => {
  const mcp = await openMcp({
    servers: {
      everything: { ...everything, tools: { include: ["echo", "get-sum"] } },
      gone: { command: "jackfield-test-no-such-command" },
      toolless: stdioFaultServer({ errorOn: { "tools/list": { code: -32603, message: "No." } } }),
      lazy: { ...stdioFaultServer(), lazy: true },
    },
    discover: false,
    cache: false,
    retry: { maxRetries: 0 },
  });
  try {
    const shown = Object.fromEntries(
      Object.entries(VIEWS).map(([runtime, view]) => [runtime, mcp.servers().map(view)]),
    );
    expect(shown).toEqual({
      "oh-my-pi": [
        "connected, from explicit",
        "disconnected, from explicit, MCP_COMMAND_NOT_FOUND",
        expect.stringMatching(/^connected, from explicit, MCP_/),
        "disconnected, from explicit",
      ],
      sidecar: [
        "connected, 2 tools, stdio, up",
        "failed, 0 tools, stdio",
        "connected, 0 tools, stdio, up",
        "disconnected, 0 tools, stdio",
      ],
      "openai-agents": ["active", "MCP_COMMAND_NOT_FOUND", "active", "inactive"],
      "claude-code": ["connected", "failed", "connected · tools fetch failed", "stopped"],
      hexos: ["true", "false", "true", "false"],
    });
  } finally {
    await mcp.close();
  }
});
