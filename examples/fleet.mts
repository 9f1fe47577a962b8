// examples/fleet.mts
import { createServer, type IncomingMessage } from "node:http";
import { createOAuth, keyvTokenVault } from "@jackfield/mcp-auth";
import { keyvToolCache } from "@jackfield/mcp-tool-cache";
import { KeyvPostgres } from "@keyv/postgres";
import KeyvRedis from "@keyv/redis";
import { isMcpError, type McpForPrincipal, openMcp } from "jackfield";

const { STORE_URL = "redis://127.0.0.1:6379", ORIGIN = "https://app.example", MAIL_URL = "" } = process.env;
const secret = (name: string) => Buffer.from(process.env[name] ?? "", "hex"); // openssl rand -hex 32, the same on all machines
const openStore = () =>
  STORE_URL.startsWith("redis") ? new KeyvRedis(STORE_URL) : new KeyvPostgres(STORE_URL);

const [logins, tools] = [openStore(), openStore()]; // Each is used for one thing only.
const vault = keyvTokenVault(logins, { key: secret("LOGINS_KEY") });
const auth = createOAuth({ vault, redirectUri: `${ORIGIN}/callback`, clientName: "My app" });
const cache = keyvToolCache(tools, { key: secret("CATALOG_KEY") });
const mcp = await openMcp({ discover: false, servers: { mail: { url: MAIL_URL } }, auth, cache });

const users = new Map<string, Promise<McpForPrincipal>>();
function mcpOf(user: string): Promise<McpForPrincipal> {
  const opened = users.get(user) ?? mcp.forPrincipal(user);
  users.set(user, opened);
  return opened;
}

const server = createServer(async (request, response) => {
  const { user, session } = whoAsks(request);
  const redirect = (location: string) => void response.writeHead(302, { location }).end();
  try {
    if (request.url === "/connect") return redirect((await mcp.beginLogin(user, "mail", { session })).url);
    if (request.url?.startsWith("/callback?")) {
      await mcp.finishLogin(request, { session });
      return redirect("/");
    }
    const result = await (await mcpOf(user)).callTool({ server: "mail", tool: "echo" }, { text: user });
    response.end(JSON.stringify(result));
  } catch (error) {
    // The page shows a button that leads to /connect.
    if (!isMcpError(error)) throw error;
    response
      .writeHead(error.login ? 401 : 502)
      .end(JSON.stringify({ message: error.message, login: error.login }));
  }
});
server.listen(Number(process.env.PORT ?? 8080), () => console.log(JSON.stringify(server.address())));

process.once("SIGTERM", async () => {
  server.close();
  await mcp.close({ drainMs: 10_000 }); // Calls under way may end.
  await auth.close(); // So may a renewal.
  await Promise.all([cache.close(), logins.disconnect()]);
});

/** From your own session. `session` is what nobody but this browser has. */
function whoAsks({ headers: { cookie = "" } }: IncomingMessage) {
  const [user = "", session = ""] = cookie.split("=");
  return { user, session };
}
