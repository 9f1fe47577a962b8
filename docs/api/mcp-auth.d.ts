export { AuthChallenge, AuthPort } from "@jackfield/mcp-core";
