import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createReadReceipt } from "../../src/stdio/read-receipt.ts";

/** A receipt whose input fails by hand, as the system would make it fail. */
function watched() {
  const input = new PassThrough();
  const receipt = createReadReceipt(input);
  const refuse = (syscall: string, code: string) => void input.emit("error", { syscall, code });
  return { receipt, refuse };
}

describe("whether a process has read anything", () => {
  test("is unknown after a write if the system reports nothing", () => {
    const receipt = createReadReceipt(null);
    expect(receipt.hasRead(true)).toBe(false);
    receipt.wrote(1);
    expect(receipt.hasRead(true)).toBe(undefined);
  });

  test("is certain once it has answered", () => {
    const receipt = createReadReceipt(null);
    receipt.wrote(1);
    receipt.answered();
    receipt.wrote(1);
    expect(receipt.hasRead(false)).toBe(true);
  });

  describe.runIf(process.platform === "linux")("as reported by the system", () => {
    test.each([
      ["read", "ECONNRESET"],
      ["write", "EPIPE"],
    ])("%s %s means that the only message was not read", (syscall, code) => {
      const { receipt, refuse } = watched();
      receipt.wrote(1);
      refuse(syscall, code);
      expect(receipt.hasRead(true)).toBe(false);
    });

    test("an error after several messages leaves it unknown", () => {
      const { receipt, refuse } = watched();
      receipt.wrote(1);
      receipt.wrote(1);
      refuse("read", "ECONNRESET");
      expect(receipt.hasRead(true)).toBe(undefined);
    });

    test("no error means read, but only if no other process holds the pipes", () => {
      const { receipt } = watched();
      receipt.wrote(1);
      expect(receipt.hasRead(true)).toBe(true);
      expect(receipt.hasRead(false)).toBe(undefined);
    });
  });
});
