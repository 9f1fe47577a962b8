// examples/agent-langchain.mts
import { langchainTools } from "@jackfield/mcp-langchain";
import { ChatOpenAI } from "@langchain/openai";
import { openMcp } from "jackfield";
import { createAgent } from "langchain";

const { OPENAI_API_KEY: apiKey, MODEL: model = "gpt-4.1-mini" } = process.env;
if (!apiKey) throw new Error("Set OPENAI_API_KEY, and OPENAI_BASE_URL for another model than OpenAI's.");
const mcp = await openMcp();
const agent = createAgent({ model: new ChatOpenAI({ model, apiKey }), tools: langchainTools(mcp) });
const { messages } = await agent.invoke({ messages: 'Read the text file with path "README.md".' });
console.log(messages.at(-1)?.text);
await mcp.close();
