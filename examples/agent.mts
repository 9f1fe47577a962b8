// examples/agent.mts
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { generateText, isStepCount } from "ai";
import { openMcp } from "jackfield";

const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey = "", MODEL = "llama3.1" } = process.env;
if (!baseURL) throw new Error("Set OPENAI_BASE_URL, such as http://127.0.0.1:11434/v1 for Ollama.");
const model = createOpenAICompatible({ name: "mine", baseURL, apiKey })(MODEL);
const mcp = await openMcp(); // the servers of this project and your own, as far as you have approved them
const prompt = 'Read the text file with path "README.md".';
const { text } = await generateText({ model, prompt, tools: aiSdkTools(mcp), stopWhen: isStepCount(8) });
console.log(text);
await mcp.close();
