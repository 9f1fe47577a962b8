export { type ConnectorOptions, createConnector } from "./connector.ts";
