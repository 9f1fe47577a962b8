import type { ServerDefinition, ToolListPolicy } from "@jackfield/mcp-core";
import { stdioDefinition } from "@jackfield/test-kit";
import type { NamingOptions } from "../../src/tools/tool-naming.ts";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";

interface Given {
  readonly policies?: readonly ToolListPolicy[];
  readonly servers?: readonly ServerDefinition[];
  readonly naming?: NamingOptions;
}

/** A registry for the servers a and b unless the test says otherwise, and what it said. */
export function createRegistry({ policies = [], servers = [a, b], naming = {} }: Given = {}) {
  const blocked: [tool: string, reason: string][] = [];
  const warnings: [server: string, message: string][] = [];
  const registry = new ToolRegistry({
    servers,
    naming,
    policies,
    blocked: ({ originalName }, reason) => blocked.push([originalName, reason]),
    warn: (message, server) => warnings.push([server, message]),
  });
  return { registry, blocked, warnings };
}

export const a = stdioDefinition("a");
export const b = stdioDefinition("b");
export const namesOf = (registry: ToolRegistry) => registry.tools().map(({ name }) => name);
