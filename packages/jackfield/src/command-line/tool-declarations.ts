import type { ToolDescriptor } from "@jackfield/mcp-core";
import { remark, schemaType, stringLiteral } from "./schema-type.ts";

const HEAD = `// Written by "jackfield types". Run it again when the tools change; edits in this file are lost.

declare module "jackfield" {
  interface ToolTypes {
`;
const FOOT = `  }
}

export {};
`;

/** A declaration file that gives `callTool` of `jackfield` the input and output types of each tool. The same tools give the same text. */
export function declareTools(tools: readonly ToolDescriptor[]): string {
  return HEAD + tools.map(declareTool).join("") + FOOT;
}

function declareTool({ name, server, originalName, description, definition }: ToolDescriptor): string {
  const { inputSchema, outputSchema } = definition;
  const said = remark(description);
  const members = [
    `server: ${stringLiteral(server)};`,
    `tool: ${stringLiteral(originalName)};`,
    `input: ${schemaType(inputSchema)};`,
    `output: ${outputSchema === undefined ? "unknown" : schemaType(outputSchema)};`,
  ];
  const body = indent(members.join("\n"), 2);
  const declaration = `${stringLiteral(name)}: {\n${body}\n};`;
  return `${indent(said === "" ? declaration : `${said}\n${declaration}`, 4)}\n`;
}

function indent(text: string, columns: number): string {
  return text.replace(/^/gm, " ".repeat(columns));
}
