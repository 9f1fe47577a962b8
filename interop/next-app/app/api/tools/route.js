import { mcp } from "../../../lib/mcp.js";

export const dynamic = "force-dynamic";

export async function GET() {
  const runtime = await mcp();
  const { content } = await runtime.callTool({ server: "echo", tool: "pid" });
  return Response.json({ saved: 0, tools: runtime.tools().length, pid: content[0].text });
}
