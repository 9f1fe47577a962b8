import { createArgumentCheck, fitSchema } from "../packages/mcp-tools/dist/index.js";

const PROFILES = ["universal", "openai", "anthropic", "gemini", "vertex", "kimi", "xai", "none"];

/**
 * What is wrong with how a server's schemas are fitted to the providers: one sentence each. Every schema must pass through every
 * profile, and arguments that the server's own schema takes must be taken by the fitted one.
 */
export function schemaProblems(tools, call) {
  const problems = [];
  for (const tool of tools)
    for (const profile of PROFILES) {
      const place = `${tool.name} for ${profile}`;
      try {
        const { schema } = fitSchema(tool.inputSchema, { profile });
        if (schema.type !== "object") problems.push(`${place}: the root is no object`);
        if (call?.tool !== tool.name) continue;
        const refusal = checkOf(tool, schema)(call.args);
        if (checkOf(tool, tool.inputSchema)(call.args) === undefined && refusal !== undefined)
          problems.push(`${place}: ${refusal.message}`);
      } catch (error) {
        problems.push(`${place}: ${error}`);
      }
    }
  return problems;
}

function checkOf({ name }, inputSchema) {
  return createArgumentCheck({ server: "interop", originalName: name, definition: { name, inputSchema } });
}
