// A conversation of a scripted model with all servers at once, by each provider's real package in both frameworks, against a stand-in that
// refuses what the provider's API refuses; and a table of what each API refuses of these tools, by profile.
import { createRequire } from "node:module";
import { openMcp } from "../packages/jackfield/dist/index.js";
import { aiSdkTools } from "../packages/mcp-ai-sdk/dist/index.js";
import { mcpMiddleware } from "../packages/mcp-langchain/dist/middleware.js";
import { fitSchema } from "../packages/mcp-tools/dist/index.js";
import { API_RULES, startModelApi, writtenSection } from "../packages/test-kit/dist/index.js";
import { inSurroundings, PATIENCE_MS, waysTo } from "./surroundings.mjs";

const PROFILES = ["none", "universal", "openai", "anthropic", "gemini", "vertex", "kimi", "xai"];
const LARGEST_REQUEST = 5_000_000;

const ofAiSdk = createRequire(new URL("../packages/mcp-ai-sdk/package.json", import.meta.url));
const ofLangChain = createRequire(new URL("../packages/mcp-langchain/package.json", import.meta.url));
const key = { apiKey: "k" };
// A scripted model has no signatures of thoughts; AI SDK would say so for each call.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** A model of each provider's package on a stand-in, by the name under which a failure is told. */
function models() {
  const [ai7, ai6] = [ofAiSdk("ai"), ofAiSdk("ai6")];
  const { createOpenAI } = ofAiSdk("@ai-sdk/openai");
  const { createAnthropic } = ofAiSdk("@ai-sdk/anthropic");
  const { createGoogleGenerativeAI } = ofAiSdk("@ai-sdk/google");
  const { createAmazonBedrock } = ofAiSdk("@ai-sdk/amazon-bedrock");
  const { createOpenAICompatible } = ofAiSdk("@ai-sdk/openai-compatible");
  const { ChatOpenAI } = ofLangChain("@langchain/openai");
  const { ChatAnthropic } = ofLangChain("@langchain/anthropic");
  const { ChatGoogleGenerativeAI } = ofLangChain("@langchain/google-genai");
  const claude = "anthropic.claude-sonnet-4-20250514-v1:0";
  const byAiSdk = (sdk, make) => (mcp, url, steps) => converseByAiSdk(sdk, mcp, make(url), steps);
  const byLangChain = (make) => (mcp, url, steps) => converseByLangChain(mcp, make(url), steps);
  const once = { ...key, maxRetries: 0 };
  return Object.entries({
    "AI SDK 7, compatible": byAiSdk(ai7, (url) =>
      createOpenAICompatible({ name: "mine", baseURL: `${url}/v1` })("m"),
    ),
    "AI SDK 7, chat": byAiSdk(ai7, (url) => createOpenAI({ ...key, baseURL: `${url}/v1` }).chat("gpt-5")),
    "AI SDK 7, responses": byAiSdk(ai7, (url) => createOpenAI({ ...key, baseURL: `${url}/v1` })("gpt-5")),
    "AI SDK 7, Anthropic": byAiSdk(ai7, (url) =>
      createAnthropic({ ...key, baseURL: `${url}/v1` })("claude-sonnet-4-5"),
    ),
    "AI SDK 7, Gemini": byAiSdk(ai7, (url) =>
      createGoogleGenerativeAI({ ...key, baseURL: `${url}/v1beta` })("gemini-3-pro-preview"),
    ),
    "AI SDK 7, Bedrock": byAiSdk(ai7, (url) =>
      createAmazonBedrock({ ...key, region: "eu-central-1", baseURL: url })(claude),
    ),
    "AI SDK 6, responses": byAiSdk(ai6, (url) =>
      ofAiSdk("openai6").createOpenAI({ ...key, baseURL: `${url}/v1` })("gpt-5"),
    ),
    "AI SDK 6, Anthropic": byAiSdk(ai6, (url) =>
      ofAiSdk("anthropic6").createAnthropic({ ...key, baseURL: `${url}/v1` })("claude-sonnet-4-5"),
    ),
    "AI SDK 6, Gemini": byAiSdk(ai6, (url) =>
      ofAiSdk("google6").createGoogleGenerativeAI({ ...key, baseURL: `${url}/v1beta` })(
        "gemini-3-pro-preview",
      ),
    ),
    "LangChain, OpenAI chat": byLangChain(
      (url) => new ChatOpenAI({ ...once, model: "gpt-5", configuration: { baseURL: `${url}/v1` } }),
    ),
    "LangChain, OpenAI responses": byLangChain(
      (url) =>
        new ChatOpenAI({
          ...once,
          model: "gpt-5",
          useResponsesApi: true,
          configuration: { baseURL: `${url}/v1` },
        }),
    ),
    "LangChain, Anthropic": byLangChain(
      (url) => new ChatAnthropic({ ...once, model: "claude-sonnet-4-5", anthropicApiUrl: url }),
    ),
    "LangChain, Google": byLangChain(
      (url) => new ChatGoogleGenerativeAI({ ...once, model: "gemini-2.5-flash", baseUrl: url }),
    ),
  });
}

async function converseByAiSdk(sdk, mcp, model, steps) {
  const stopWhen = (sdk.isStepCount ?? sdk.stepCountIs)(steps);
  const tools = aiSdkTools(mcp, { model });
  const { text } = await sdk.generateText({ model, prompt: "Do it.", tools, stopWhen, maxRetries: 0 });
  return text;
}

async function converseByLangChain(mcp, model, steps) {
  const agent = ofLangChain("langchain").createAgent({ model, middleware: [mcpMiddleware(mcp)] });
  const { messages } = await agent.invoke({ messages: "Do it." }, { recursionLimit: steps * 10 });
  return messages.at(-1).text;
}

/** Starts all servers, has every provider's package converse with them, and writes the table. @returns one row for each provider */
export async function conversations(servers, installation) {
  const problems = [];
  const entries = {};
  const turns = [];
  const rows = [];
  await withServers(servers, async (surroundings) => {
    for (const { server, definition, resolve } of surroundings) {
      const { command, args, env, cwd } = definition;
      const name = server.name.replace(/^@/, "").replaceAll("/", "-");
      entries[name] = { command, args, env, cwd };
      if (server.call)
        turns.push({ ref: { server: name, tool: server.call.tool }, args: resolve(server.call.args) });
    }
    const mcp = await openMcp({
      ...{ discover: false, cache: false, log: false, servers: entries },
      ...{ startup: { gateMs: PATIENCE_MS * 3 }, limits: { connectTimeoutMs: PATIENCE_MS * 3 } },
    });
    try {
      for (const { name, status, error } of mcp.servers())
        if (status !== "ready") problems.push(`${name}: ${status}: ${error?.message}`);
      const tools = mcp.tools();
      const script = turns.map(({ ref, args }) => ({
        tool: tools.find(({ server, originalName }) => server === ref.server && originalName === ref.tool)
          ?.name,
        args,
      }));
      for (const [name, run] of models()) rows.push(await tryModel(name, run, mcp, script));
      await writeTable(tools);
    } finally {
      await mcp.close();
    }
  });
  return [{ name: "servers", tools: rows[0]?.tools ?? 0, calls: turns.length, problems }, ...rows];

  /** Each server needs a folder of its own while it runs. */
  async function withServers([server, ...rest], use, begun = []) {
    if (server === undefined) return use(begun);
    const [way] = waysTo(server);
    await inSurroundings({ installation, name: server.name, way, problems }, ({ definition, resolve }) =>
      withServers(rest, use, [...begun, { server, definition, resolve }]),
    );
  }
}

async function tryModel(name, run, mcp, script) {
  const problems = [];
  await using api = await startModelApi([...script, "Done."]);
  const text = await run(mcp, api.url, script.length + 2).catch((error) => String(error).slice(0, 500));
  if (text !== "Done.") problems.push(`the conversation ended with ${JSON.stringify(text)}`);
  problems.push(...api.refusals.map((why) => `refused: ${why}`));
  const bytes = JSON.stringify(api.bodies.at(-1) ?? {}).length;
  if (bytes > LARGEST_REQUEST) problems.push(`the last request has ${bytes} bytes`);
  return { name, tools: mcp.tools().length, calls: Math.max(0, api.bodies.length - 1), problems };
}

/** How many tools each API refuses, by profile; compared with the page, and written with `UPDATE_DOCS`. */
async function writeTable(tools) {
  const apis = Object.entries(API_RULES);
  const schemas = tools.map(({ definition }) => definition.inputSchema);
  const rows = PROFILES.map((profile) => {
    const fitted = schemas.map((schema) => fitSchema(schema, { profile }).schema);
    return [profile, ...apis.map(([, rule]) => fitted.filter((schema) => rule(schema).length > 0).length)];
  });
  const servers = new Set(tools.map(({ server }) => server)).size;
  const lines = [["profile", ...apis.map(([api]) => api)], ["---", ...apis.map(() => "---:")], ...rows];
  await writtenSection(
    "schemas",
    `Of ${tools.length} tools of ${servers} published servers:\n\n${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}`,
  );
}
