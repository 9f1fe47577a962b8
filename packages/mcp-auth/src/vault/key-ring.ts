import { McpError } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";

/** How many bytes a key needs at least. */
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = "1";

interface Key {
  readonly id: string;
  readonly secret: Uint8Array;
}

/** What became of a sealed text. `unknown-key`: another machine has a key that this one lacks. `damaged`: it was changed, or moved here. */
export type Opened = { readonly text: string } | { readonly why: "unknown-key" | "damaged" };

/** Seals texts with AES-256-GCM: the first key seals, and each opens what it has sealed. */
export class KeyRing {
  readonly #keys: readonly Key[];

  /** @throws McpError `MCP_CONFIG_INVALID` without a key, or if one is too short */
  constructor(keys: Uint8Array | readonly Uint8Array[]) {
    const all = keys instanceof Uint8Array ? [keys] : keys;
    if (
      !Array.isArray(all) ||
      all.length === 0 ||
      all.some((key) => !(key instanceof Uint8Array) || key.length < KEY_BYTES)
    ) {
      const message = `A vault needs a key, or a list of keys, of at least ${KEY_BYTES} bytes each, such as 32 bytes of "openssl rand -hex 32".`;
      throw new McpError("MCP_CONFIG_INVALID", message);
    }
    this.#keys = all.map((key) => ({
      id: derive(key, "id", 6).toString("base64url"),
      secret: derive(key, "seal", 32),
    }));
  }

  /** @param place - where the text will be kept; it can be opened for that place only */
  seal(text: string, place: string): string {
    const [key] = this.#keys as readonly [Key];
    const { randomBytes, createCipheriv } = cryptography();
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key.secret, iv).setAAD(boundTo(place));
    const sealed = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return [FORMAT, key.id, sealed.toString("base64url")].join(".");
  }

  open(sealed: string, place: string): Opened {
    const [format, id, body = ""] = sealed.split(".");
    if (format !== FORMAT || id === undefined) return { why: "damaged" };
    const key = this.#keys.find((one) => one.id === id);
    if (key === undefined) return { why: "unknown-key" };
    const bytes = Buffer.from(body, "base64url");
    if (bytes.length < IV_BYTES + TAG_BYTES) return { why: "damaged" };
    const { createDecipheriv } = cryptography();
    const decipher = createDecipheriv("aes-256-gcm", key.secret, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      return { text: text.toString("utf8") };
    } catch {
      return { why: "damaged" };
    }
  }
}

function boundTo(place: string): Buffer {
  return Buffer.from(`${FORMAT} ${place}`);
}

function derive(key: Uint8Array, purpose: string, bytes: number): Buffer {
  return Buffer.from(cryptography().hkdfSync("sha256", key, "", `jackfield logins ${purpose}`, bytes));
}
