/**
 * The place of OAuth for remote servers. For now it holds the port alone, so that a host can bring its own implementation.
 */
export type { AuthChallenge, AuthPort } from "@jackfield/mcp-core";
