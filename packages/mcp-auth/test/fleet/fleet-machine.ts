// One process of a machine in a fleet. Arguments: kind and URL of the store, its key, the URL of the server, how far the machine's clock is
// off. For each message with users, it makes one request for each of them, and answers with the outcomes by user: a status, the code of an
// expected failure, or the text of any other.
import { isMcpError } from "@jackfield/mcp-core";
import { createOAuth, keyvTokenVault } from "../../src/index.ts";
import { reach, remoteServer } from "../request.ts";

const [kind, storeUrl = "", key = "", serverUrl = "", skewMs = "0"] = process.argv.slice(2);

/** While the store is away nothing is renewed, and a login that is lost is asked for again. */
const EXPECTED: ReadonlySet<string> = new Set(["MCP_STORAGE_FAILED", "MCP_AUTH_REQUIRED"]);

/** Only the client that is needed is loaded: processes start often. Postgres has a hundred connections for all of them. */
async function openStore(): Promise<object> {
  if (kind === "postgres")
    return new (await import("@keyv/postgres")).KeyvPostgres({ uri: storeUrl, max: 5 });
  if (kind === "valkey") return new (await import("@keyv/valkey")).default(storeUrl);
  return new (await import("@keyv/redis")).default(storeUrl);
}

const vault = keyvTokenVault(await openStore(), { key: Buffer.from(key, "hex"), timeoutMs: 1_000 });
const oauth = createOAuth({ vault, now: () => Date.now() + Number(skewMs) });

process.on("message", async (users: readonly string[]) => {
  const outcomes = await Promise.all(
    users.map(async (user) => {
      // An object of its own, as the resolver makes one for each user.
      const server = remoteServer(serverUrl);
      const request = () =>
        reach(oauth, server, user).catch((error: unknown) =>
          isMcpError(error) && EXPECTED.has(error.code) ? error.code : String(error),
        );
      const first = await request();
      // Its repetition may have had a token of another process that has expired as well; the next request finds out.
      const outcome = first === 401 ? await request() : first;
      return [user, outcome] as const;
    }),
  );
  process.send?.(outcomes);
});
process.on("disconnect", () => process.exit(0));
await Promise.all([import("@modelcontextprotocol/client"), import("undici")]);
process.send?.("ready");
