import { useLeakCheck } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import {
  createFileVault,
  createMemoryVault,
  createOAuth,
  crossAppAccess,
  keyvTokenVault,
  openInBrowser,
} from "../src/index.ts";
import { remoteServer } from "./request.ts";

useLeakCheck();

/** Options as JavaScript may give them. */
const untyped = (options: object) => options as never;
const key = Buffer.alloc(32);
const server = remoteServer("https://mcp.example/mcp");
const page = new URL("https://login.example/");
const oauth = () => createOAuth({ vault: createMemoryVault(), redirectUri: "https://app.example/callback" });

test.each([
  [
    "createOAuth",
    async () => createOAuth(untyped({ clientMetadataUri: "https://a.example/b" })),
    "clientMetadataUrl",
  ],
  ["createOAuth", async () => createOAuth(untyped({ callback: { timeout: 5 } })), "callback.timeoutMs"],
  [
    "createOAuth",
    async () => createOAuth(untyped({ clientMetadataUrl: "https://a.example" })),
    "an https URL with a path",
  ],
  ["createOAuth", async () => createOAuth(untyped({ http: { proxy: "http://proxy" } })), "http.proxy"],
  ["createOAuth", async () => createOAuth(untyped({ vault: new Map() })), "a TokenVault"],
  ["keyvTokenVault", async () => keyvTokenVault(new Map(), untyped({ key, nameSpace: "app" })), "namespace"],
  ["keyvTokenVault", async () => keyvTokenVault(new Map(), untyped({ key, timeout: 5 })), "timeoutMs"],
  ["createFileVault", async () => createFileVault(untyped({ dir: "/tmp" })), "directory"],
  ["crossAppAccess", async () => crossAppAccess(untyped({ clientID: "a" })), "clientId"],
  ["openInBrowser", () => openInBrowser(page, untyped({ comand: ["firefox"] })), "command"],
  ["login", () => oauth().login(server, untyped({ scope: "files:read" })), "scopes"],
  ["beginLogin", () => oauth().beginLogin("ada", server, untyped({ sesion: "a" })), "session"],
  ["finishLogin", () => oauth().finishLogin("/callback?state=a", untyped({ sesssion: "a" })), "session"],
])(
  "%s refuses an option that it would ignore, and names the one that was meant",
  async (_name, make, meant) => {
    await expect(make()).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining(meant),
    });
  },
);
