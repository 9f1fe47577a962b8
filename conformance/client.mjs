// What the suite starts, once for each scenario, with the address of its server as the last argument. It is a program as anybody
// would write it: it opens the runtime and uses whatever the server offers.
import { argv, env } from "node:process";
import { createOAuth, crossAppAccess } from "@jackfield/mcp-auth";
import { openMcp } from "jackfield";

/** Calls that a scenario wants and that do not follow from the tools' schemas. */
const CALLS = {
  tools_call: () => [{ name: "add_numbers", arguments: { a: 2, b: 3 } }],
  "json-schema-2020-12-preservation": (tools) => [
    {
      name: "json_schema_echo",
      arguments: { schema: tools.find(({ name }) => name !== "json_schema_echo").inputSchema },
    },
  ],
};

const scenario = env.MCP_CONFORMANCE_SCENARIO;
const context = JSON.parse(env.MCP_CONFORMANCE_CONTEXT ?? "{}");

/** What an entry says of its login, where it is not the usual one. */
const PROGRAMS = {
  "auth/client-credentials-basic": () => ({ settings: { grantType: "client_credentials" } }),
  "auth/client-credentials-jwt": () => ({
    settings: {
      grantType: "client_credentials",
      privateKey: context.private_key_pem,
      algorithm: context.signing_algorithm,
    },
  }),
  "auth/enterprise-managed-authorization": () => ({
    assertion: crossAppAccess({
      identityProvider: context.idp_issuer,
      clientId: context.idp_client_id,
      idToken: () => context.idp_id_token,
    }),
  }),
  "auth/dpop": () => ({ settings: { dpop: true } }),
  "auth/dpop-nonce": () => ({ settings: { dpop: true } }),
  "auth/wif-jwt-bearer": () => ({ assertion: async () => context.valid_jwt }),
};

/** The URL at which the suite pretends that this client describes itself. */
const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

await using auth = createOAuth({
  // The suite's authorization servers consent at once; following their redirects is all that a browser does there.
  authorize: async (url) => {
    await fetch(url);
  },
  clientMetadataUrl: CLIENT_METADATA_URL,
  settingsOf: () => {
    const { settings, assertion } = PROGRAMS[scenario]?.() ?? {};
    const client = { clientId: context.client_id, clientSecret: context.client_secret };
    return { settings: { ...client, ...settings }, assertion };
  },
  log: (level, message, fields) => console.error(level, message, JSON.stringify(fields)),
});

await using mcp = await openMcp({
  auth,
  cache: false,
  discover: false, // Nothing of whoever runs the suite takes part.
  servers: { suite: { url: argv.at(-1) } },
  handlers: {
    elicit: async () => ({ action: "accept", content: {} }),
    sample: async () => ({ model: "none", role: "assistant", content: { type: "text", text: "A text." } }),
    roots: async () => [{ uri: "file:///project", name: "project" }],
  },
  log: (level, message, fields) => console.error(level, message, JSON.stringify(fields)),
});
const [server] = mcp.servers();
if (server.error !== undefined) throw new Error(`${server.error.code}: ${server.error.message}`);

const tools = mcp.tools().map(({ definition }) => definition);
const calls = CALLS[scenario]?.(tools) ?? context.toolCalls ?? tools.map(callOf);
// At the same time, because that is how agents call tools; what belongs to one call must not get into another.
const results = await Promise.allSettled(
  calls.map((call) => mcp.callTool({ server: "suite", tool: call.name }, call.arguments)),
);
for (const { reason } of results) if (reason !== undefined) console.error(String(reason));

for (const { uri } of await mcp.resources()) await mcp.readResource("suite", uri);
for (const { name } of await mcp.prompts()) await mcp.getPrompt("suite", name);

function callOf({ name, inputSchema }) {
  const required = (inputSchema.required ?? []).map((key) => [key, sampleOf(inputSchema.properties?.[key])]);
  return { name, arguments: Object.fromEntries(required) };
}

function sampleOf({ type } = {}) {
  return { number: 1, integer: 1, boolean: true, array: [], object: {}, null: null }[type] ?? "text";
}
