// examples/users.mts
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { type McpForPrincipal, openMcp } from "jackfield";

const url = process.env.MAIL_URL ?? "https://mail.example.com/mcp";

export const mcp = await openMcp({
  discover: false,
  servers: {
    mail: {
      url,
      headers: async ({ principal, rejected }) =>
        principal === undefined ? {} : { authorization: `Bearer ${await tokenOf(principal, rejected)}` },
    },
  },
});

const users = new Map<string, Promise<McpForPrincipal>>();

/** The tools of one user: sessions, tokens and catalog are that user's own. */
export async function toolsFor(user: string) {
  const opened = users.get(user) ?? mcp.forPrincipal(user);
  users.set(user, opened);
  return aiSdkTools(await opened);
}

export async function signOut(user: string) {
  const opened = users.get(user);
  users.delete(user);
  await (await opened)?.close();
}

/** From your own store. `rejected`: the server refused the last one (401), so it has to be renewed first. */
async function tokenOf(user: string, rejected = false): Promise<string> {
  return `token of ${user}${rejected ? ", renewed" : ""}`;
}
