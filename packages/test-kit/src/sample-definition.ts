import type { HttpServerDefinition, StdioServerDefinition } from "@jackfield/mcp-core";

/** Creates a stdio definition of explicit scope. Its default command does not exist. */
export function stdioDefinition(
  name: string,
  overrides: Partial<Omit<StdioServerDefinition, "name" | "transport">> = {},
): StdioServerDefinition {
  return {
    name,
    transport: "stdio",
    command: "jackfield-test-command",
    definedIn: { scope: "explicit" },
    ...overrides,
  };
}

/** Creates a Streamable HTTP definition of explicit scope. No server listens at its default URL. */
export function httpDefinition(
  name: string,
  overrides: Partial<Omit<HttpServerDefinition, "name" | "transport">> = {},
): HttpServerDefinition {
  return {
    name,
    transport: "http",
    url: "http://127.0.0.1:9/mcp",
    definedIn: { scope: "explicit" },
    ...overrides,
  };
}
