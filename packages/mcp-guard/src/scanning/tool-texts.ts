import type { ToolDescriptor } from "@jackfield/mcp-core";
import type { ScannedText } from "./injection-finding.ts";
import { stringsIn } from "./strings-in.ts";

type ToolText = "description" | "schema";

/** The texts of a tool that a model reads. Names of arguments, enums and defaults can steer a model just as prose can. */
export function textsOf({
  description,
  definition,
}: ToolDescriptor): readonly (readonly [where: ToolText, text: string])[] {
  const { inputSchema, outputSchema, annotations, title } = definition;
  return [
    ["description", description],
    ["schema", stringsIn(inputSchema, outputSchema, annotations, title)],
  ];
}

export function originOf({ server, originalName: tool }: ToolDescriptor, where: ToolText): ScannedText {
  return { server, tool, where };
}
