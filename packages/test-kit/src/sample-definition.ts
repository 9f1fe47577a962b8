import type { HttpServerDefinition, StdioServerDefinition } from "@jackfield/mcp-core";

/** A stdio definition of explicit scope. Its command does not exist, unless another is given. */
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

/** A Streamable HTTP definition of explicit scope. Nobody listens at its URL, unless another is given. */
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
