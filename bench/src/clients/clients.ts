import { aiSdk } from "./ai-sdk.ts";
import type { Clients } from "./client.ts";
import { handWritten } from "./hand-written.ts";
import { jackfield } from "./jackfield.ts";
import { jackfieldAiSdk } from "./jackfield-ai-sdk.ts";
import { jackfieldLangchain } from "./jackfield-langchain.ts";
import { langchain } from "./langchain.ts";
import { mastra } from "./mastra.ts";
import { mcpUse } from "./mcp-use.ts";
import { mcporter } from "./mcporter.ts";
import { openaiAgents } from "./openai-agents.ts";
import { rawSdk } from "./raw-sdk.ts";
import { rawSdkV1 } from "./raw-sdk-v1.ts";

/** The clients. Each imports what it is made of when it starts, because that is a part of its start and of nobody else's. */
export const CLIENTS: Clients = {
  jackfield,
  "raw-sdk": rawSdk,
  "hand-written": handWritten,
  "jackfield-ai-sdk": jackfieldAiSdk,
  "jackfield-langchain": jackfieldLangchain,
  "raw-sdk-v1": rawSdkV1,
  "ai-sdk": aiSdk,
  langchain,
  mastra,
  "mcp-use": mcpUse,
  mcporter,
  "openai-agents": openaiAgents,
};
