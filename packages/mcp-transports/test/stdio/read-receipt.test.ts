import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createReadReceipt } from "../../src/stdio/read-receipt.ts";

/** What the system would tell of an input, told by hand. */
function watched() {
  const input = new PassThrough();
  const receipt = createReadReceipt(input);
  const refuse = (syscall: string, code: string) => void input.emit("error", { syscall, code });
  return { receipt, refuse };
}

describe("whether a process has read anything", () => {
  test("is not known where the system tells nothing, once something was written", () => {
    const receipt = createReadReceipt(null);
    expect(receipt.hasRead(true)).toBe(false);
    receipt.wrote();
    expect(receipt.hasRead(true)).toBe(undefined);
  });

  test("is certain once it has answered, whatever else was not read", () => {
    const receipt = createReadReceipt(null);
    receipt.wrote();
    receipt.answered();
    receipt.wrote();
    expect(receipt.hasRead(false)).toBe(true);
  });

  describe.runIf(process.platform === "linux")("is told by the system", () => {
    test.each([
      ["read", "ECONNRESET"],
      ["write", "EPIPE"],
    ])("%s %s: the only message came back", (syscall, code) => {
      const { receipt, refuse } = watched();
      receipt.wrote();
      refuse(syscall, code);
      expect(receipt.hasRead(true)).toBe(false);
    });

    test("of several messages that came back the first may have been read", () => {
      const { receipt, refuse } = watched();
      receipt.wrote();
      receipt.wrote();
      refuse("read", "ECONNRESET");
      expect(receipt.hasRead(true)).toBe(undefined);
    });

    test("nothing that came back was read, unless somebody else still holds the pipes", () => {
      const { receipt } = watched();
      receipt.wrote();
      expect(receipt.hasRead(true)).toBe(true);
      expect(receipt.hasRead(false)).toBe(undefined);
    });
  });
});
