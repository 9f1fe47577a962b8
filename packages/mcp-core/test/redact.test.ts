import { describe, expect, it } from "vitest";
import { REDACTED, redact } from "../src/index.ts";

describe("redaction", () => {
  it("replaces every occurrence of every secret", () => {
    expect(redact("key=hunter22 again hunter22, other=s3cr3t!", ["hunter22", "s3cr3t!"])).toBe(
      `key=${REDACTED} again ${REDACTED}, other=${REDACTED}`,
    );
  });

  it("leaves nothing of a longer secret that a shorter one is a part of", () => {
    expect(redact("Bearer token-1234-abcd", ["token-1234", "token-1234-abcd"])).toBe(`Bearer ${REDACTED}`);
  });

  it("takes secrets literally, whatever characters they are made of", () => {
    expect(redact("a $&.*(x) b", ["$&.*(x)"])).toBe(`a ${REDACTED} b`);
  });

  it("does not tear ordinary text apart for a secret of a few letters", () => {
    expect(redact("the answer is yes", ["", "is", "yes"])).toBe("the answer is yes");
  });
});
