// Tools are found while no server runs: a scripted model on a stand-in of OpenAI's API, in each framework, finds, reads and calls a tool
// of one of twelve servers, of which none has been started. What the requests cost with and without the search, and whether each begins
// with the bytes of the one before.
import { createRequire } from "node:module";
import { openMcp } from "../packages/jackfield/dist/index.js";
import { aiSdkLiveTools, aiSdkTools } from "../packages/mcp-ai-sdk/dist/index.js";
import { mcpMiddleware } from "../packages/mcp-langchain/dist/middleware.js";
import { startModelApi } from "../packages/test-kit/dist/index.js";
import { inSurroundings, PATIENCE_MS, waysTo } from "./surroundings.mjs";

/** Twelve servers, which have about 390 tools. */
const TWELVE = [
  ...["@zereight/mcp-gitlab", "chrome-devtools-mcp", "@antv/mcp-server-chart", "mongodb-mcp-server"],
  ...[
    "firecrawl-mcp",
    "@modelcontextprotocol/server-github",
    "@playwright/mcp",
    "@notionhq/notion-mcp-server",
  ],
  ...[
    "mcp-server-kubernetes",
    "@sentry/mcp-server",
    "@modelcontextprotocol/server-filesystem",
    "xcodebuildmcp",
  ],
];
const FILES = "filesystem";
/** The share of a first request without the search that one with it may cost. */
const MOST_SHARE = 0.1;

const ofAiSdk = createRequire(new URL("../packages/mcp-ai-sdk/package.json", import.meta.url));
const ofLangChain = createRequire(new URL("../packages/mcp-langchain/package.json", import.meta.url));
globalThis.AI_SDK_LOG_WARNINGS = false;

const toModel = (sdk, toolsOf) => async (source, url, search) => {
  const { createOpenAICompatible } = ofAiSdk(sdk === 7 ? "@ai-sdk/openai-compatible" : "compatible6");
  const ai = ofAiSdk(sdk === 7 ? "ai" : "ai6");
  const model = createOpenAICompatible({ name: "mine", apiKey: "k", baseURL: `${url}/v1` })("m");
  const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(9);
  const settings = toolsOf(source, { model, search, sdk });
  return (await ai.generateText({ model, prompt: "Do it.", maxRetries: 0, stopWhen, ...settings })).text;
};

const FRAMEWORKS = {
  "AI SDK 7": toModel(7, (source, options) => ({ tools: aiSdkTools(source, options) })),
  "AI SDK 7, live": toModel(7, aiSdkLiveTools),
  "AI SDK 6": toModel(6, (source, options) => ({ tools: aiSdkTools(source, options) })),
  LangChain: async (source, url, search) => {
    const { ChatOpenAI } = ofLangChain("@langchain/openai");
    const configuration = { baseURL: `${url}/v1` };
    const model = new ChatOpenAI({ apiKey: "k", maxRetries: 0, model: "gpt-5", configuration });
    const middleware = [mcpMiddleware(source, { search })];
    const agent = ofLangChain("langchain").createAgent({ model, middleware });
    return (await agent.invoke({ messages: "Do it." })).messages.at(-1).text;
  },
};

/** @returns one row for each framework */
export async function findings(servers, installation) {
  const problems = [];
  const rows = [];
  const chosen = servers.filter(({ name }) => TWELVE.includes(name));
  await withServers(chosen, async (surroundings) => {
    const entries = {};
    for (const { server, definition } of surroundings) {
      const { command, args, env, cwd } = definition;
      entries[
        server.name
          .split("/")
          .at(-1)
          .replace(/^server-/, "")
      ] = { command, args, env, cwd };
    }
    const { folder } = surroundings[0];
    const settings = {
      ...{ discover: false, log: false, servers: entries, cache: { path: `${folder}/catalog` } },
      limits: { connectTimeoutMs: PATIENCE_MS * 3 },
    };
    const first = await openMcp({ ...settings, startup: { gateMs: PATIENCE_MS * 3 } });
    for (const { name, status, error } of first.servers())
      if (status !== "ready") problems.push(`${name}: ${status}: ${error?.message}`);
    await first.close();
    for (const [name, run] of Object.entries(FRAMEWORKS)) rows.push(await tryFramework(name, run, settings));
  });
  return [{ name: "servers", problems }, ...rows];

  async function withServers([server, ...rest], use, begun = []) {
    if (server === undefined) return use(begun);
    const [way] = waysTo(server);
    await inSurroundings({ installation, name: server.name, way, problems }, ({ definition, folder }) =>
      withServers(rest, use, [...begun, { server, definition, folder }]),
    );
  }
}

async function tryFramework(name, run, settings) {
  const problems = [];
  const row = { name, problems };
  const mcp = await openMcp({ ...settings, startup: { lazy: true } });
  const running = () =>
    mcp
      .servers()
      .filter(({ status }) => status !== "idle")
      .map((server) => server.name);
  try {
    row.tools = mcp.tools().length;
    if (running().length > 0) problems.push(`started before anything was asked: ${running()}`);
    row.without = (await converse(run, mcp, "off", [])).tokens[0];
    const found = await converse(run, mcp, "auto", script(name, settings));
    problems.push(...found.problems);
    row.with = found.tokens[0];
    row.share = `${((100 * row.with) / row.without).toFixed(1)} %`;
    row.last = found.tokens.at(-1);
    if (row.with > row.without * MOST_SHARE) problems.push(`the first request costs ${row.share}`);
    // Those of the tools that were found are connected in the background.
    if (!running().includes(FILES)) problems.push(`${FILES} was not started`);
    if (running().length > 5) problems.push(`started: ${running()}`);
    await tryViews(run, mcp, script(name, settings), problems);
  } finally {
    await mcp.close();
  }
  return row;
}

/** What the model does: it finds a tool by a task, another by its name, reads and calls it. */
function script(framework, { servers }) {
  const args = { path: servers[FILES].cwd };
  const tool = `mcp__${FILES}__list_directory`;
  const search = [
    { tool: "search_tools", args: { query: "list the files in a folder" } },
    { tool: "search_tools", args: { query: "directory_tree" } },
  ];
  return framework === "AI SDK 6"
    ? [
        ...search,
        { tool: "describe_tool", args: { name: tool } },
        { tool: "call_tool", args: { name: tool, arguments: args } },
      ]
    : [...search, { tool, args }];
}

async function converse(run, source, search, turns) {
  const problems = [];
  await using api = await startModelApi([...turns, "Done."]);
  const text = await run(source, api.url, search).catch((error) => String(error).slice(0, 500));
  if (text !== "Done.") problems.push(`the conversation ended with ${JSON.stringify(text)}`);
  problems.push(...api.refusals.map((why) => `refused: ${why}`));
  if (turns.length > 0 && !JSON.stringify(api.bodies.at(-1)).includes("[FILE] note.txt"))
    problems.push(
      `the last request has no answer of the tool: ${JSON.stringify(api.bodies.at(-1).messages.at(-1)).slice(0, 500)}`,
    );
  for (const [index, body] of api.bodies.slice(1).entries())
    for (const part of ["tools", "messages"]) {
      const before = JSON.stringify(api.bodies[index][part]);
      const after = JSON.stringify(body[part].slice(0, api.bodies[index][part].length));
      if (before !== after) problems.push(`request ${index + 2} does not begin with the ${part} before it`);
    }
  const tokens = api.bodies.map((body) => Math.round(JSON.stringify(body).length / 4));
  return { tokens, problems, bodies: api.bodies };
}

/** Two agents at once, each on its own view, of which one lacks what the other finds. */
async function tryViews(run, mcp, turns, problems) {
  const files = mcp.view({ servers: [FILES] });
  const others = mcp.view({ servers: (name) => name !== FILES });
  const [own, foreign] = await Promise.all([
    converse(run, files, "always", turns),
    converse(run, others, "always", turns.slice(0, 2)),
  ]);
  problems.push(...own.problems.map((problem) => `view: ${problem}`));
  if (JSON.stringify(foreign.bodies).includes(`mcp__${FILES}__`))
    problems.push("a view shows a tool of another");
  await files.close();
  await others.close();
}
