import * as sdk from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { ENVELOPE_KEYS } from "../../src/protocol/handshake.ts";

test("the envelope keys are the same as the SDK's", () => {
  expect(ENVELOPE_KEYS).toEqual({
    protocolVersion: sdk.PROTOCOL_VERSION_META_KEY,
    clientInfo: sdk.CLIENT_INFO_META_KEY,
    clientCapabilities: sdk.CLIENT_CAPABILITIES_META_KEY,
    serverInfo: sdk.SERVER_INFO_META_KEY,
    subscriptionId: sdk.SUBSCRIPTION_ID_META_KEY,
    logLevel: sdk.LOG_LEVEL_META_KEY,
  });
});
