// A newcomer's path: from nothing but tarballs and the registry to a configuration, a call by hand, and an answer through each framework.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startOfflineModel } from "../../apps/agent/src/offline-model/server.ts";
import { root } from "../workspace.mjs";
import { networkVariables } from "./empty-place.mjs";
import { installedProblems } from "./installation.mjs";

const SENTENCE = "Patches every line of the jackfield to any other.";
/** The README's programs: what each is known by, and under which name it is saved. */
const PROGRAMS = [
  { file: "agent.mts", has: ["aiSdkTools(", "generateText("] },
  { file: "agent-langchain.mts", has: ["langchainTools(", "createAgent("] },
];
/** What the README has its readers install beside the packages themselves. */
const BESIDE = ["ai", "@ai-sdk/openai-compatible", "langchain", "@langchain/core", "@langchain/openai"];

/**
 * Walks it in an empty place with these tarballs, up to where it leads no further; gives what is wrong there. The README's programs run as
 * they stand.
 */
export async function walkNewcomersPath(place, packages) {
  const step = async (command, args, { says = "", ...options } = {}) => {
    const { code, stdout, stderr } = await place.run(command, args, options);
    if (code !== 0 || stderr !== "" || !stdout.includes(says))
      throw new Error(
        `${command} ${args.join(" ")}: exit code ${code}, wanted "${says}"\n${stdout}${stderr}`,
      );
  };
  try {
    await makeSureThatLooksAreSeen(place);
    writeFileSync(join(place.project, "README.md"), `# A first project\n\n${SENTENCE}\n`);
    writeFileSync(join(place.project, "package.json"), '{ "private": true }\n');
    await step("npm", ["install", ...packages.map(({ tarball }) => tarball), ...frameworks()]);
    await useCommandLine(place, step);
    await runPrograms(place, step);
  } catch (error) {
    return [error.message];
  }
  const looks = place.touched().map((file) => `This file of the repository was looked at: ${file}`);
  return [...installedProblems(place.project), ...looks];
}

async function useCommandLine(place, step) {
  await step("npx", ["jackfield", "init"], { says: "Approved" });
  const written = JSON.parse(readFileSync(join(place.project, ".mcp.json"), "utf8")).mcpServers;
  handOverTheNetwork(written, place);
  await fetchServers(written, place);
  await step("npx", ["jackfield", "status"], { says: "ready" });
  await step("npx", ["jackfield", "tools"], { says: "files.list_directory" });
  const call = ["jackfield", "call", "mcp__files__list_directory", '{"path":"."}'];
  await step("npx", call, { says: "README.md" });
}

/** Had the watcher no effect, nobody would hear of it. */
async function makeSureThatLooksAreSeen(place) {
  const forbidden = join(root, "package.json");
  await place.run("node", ["-e", `require("node:fs").readFileSync(${JSON.stringify(forbidden)})`]);
  if (!place.touched().includes(forbidden))
    throw new Error("A look at a file of the repository was not seen.");
  place.forgetTouched();
}

/** The frameworks at the versions that the packages are tested with. */
function frameworks() {
  const versions = ["apps/agent", "packages/mcp-langchain"].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return { ...manifest.devDependencies, ...manifest.dependencies };
  });
  const [agent, adapter] = versions;
  // It comes with `langchain`; named, it is not a later one than those tested.
  const graph = `@langchain/langgraph@${adapter["@langchain/langgraph"]}`;
  return [...BESIDE.map((name) => `${name}@${agent[name]}`), graph];
}

/**
 * A child process is not given the variables by which some machines reach the registry, unless its entry names them, and only a user's own
 * entry may. Where there are any, the servers that `init` wrote move into the user's own file with them.
 */
function handOverTheNetwork(written, place) {
  const env = networkVariables();
  if (Object.keys(env).length === 0) return;
  const servers = Object.entries(written).map(([name, entry]) => [
    name,
    { ...entry, args: entry.args.map((arg) => (arg === "." ? place.project : arg)), env },
  ]);
  writeFileSync(place.ownFile, JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  rmSync(join(place.project, ".mcp.json"));
}

/** Has `npx` fetch what it starts, which no deadline of Jackfield's should have to wait for. Without an input they end at once. */
async function fetchServers(written, place) {
  for (const { command, args } of Object.values(written)) await place.run(command, args);
}

/** Runs the programs of the README; the offline model listens where they look for one. */
async function runPrograms(place, step) {
  await using model = await startOfflineModel();
  const env = { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "none is needed" };
  for (const { file, has } of PROGRAMS) {
    writeFileSync(join(place.project, file), readmeProgram(has));
    await step("node", [file], { env, says: SENTENCE });
  }
}

function readmeProgram(has) {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const programs = [...readme.matchAll(/```(?:ts|js)\n([\s\S]*?)```/g)].map(([, code]) => code);
  const found = programs.find((code) => [...has, "openMcp("].every((part) => code.includes(part)));
  if (found === undefined) throw new Error(`README.md has no program with ${has.join(" and ")}.`);
  return found;
}
