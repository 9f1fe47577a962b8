import { describe, expect, it } from "vitest";
import { REDACTED, redact } from "../src/index.ts";

describe("redaction", () => {
  it("replaces every occurrence of every secret", () => {
    expect(redact("key=hunter22 again hunter22, other=s3cr3t!", ["hunter22", "s3cr3t!"])).toBe(
      `key=${REDACTED} again ${REDACTED}, other=${REDACTED}`,
    );
  });

  it("replaces a longer secret as a whole when a shorter one is part of it", () => {
    expect(redact("Bearer token-1234-abcd", ["token-1234", "token-1234-abcd"])).toBe(`Bearer ${REDACTED}`);
  });

  it("treats special characters in a secret literally", () => {
    expect(redact("a $&.*(x) b", ["$&.*(x)"])).toBe(`a ${REDACTED} b`);
  });

  it("ignores secrets that are empty or only a few letters long", () => {
    expect(redact("the answer is yes", ["", "is", "yes"])).toBe("the answer is yes");
  });
});
