import { isRecord } from "@jackfield/mcp-core";

// Checks for the parts of plain answers: the SDK's schemas accept what passes here. A part that does not pass may still be valid;
// then the SDK decides.

export function isListOf(items: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(items) && items.every(isItem);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isTextOrMissing(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

export function isRecordOrMissing(value: unknown): boolean {
  return value === undefined || isRecord(value);
}

export function isFlagOrMissing(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

/** The icons of an implementation, tool, resource or prompt (MCP, "Icons"). */
export function areIconsOrMissing(icons: unknown): boolean {
  return icons === undefined || isListOf(icons, isIcon);
}

function isIcon(icon: unknown): boolean {
  if (!isRecord(icon)) return false;
  const { src, mimeType, sizes, theme } = icon;
  return (
    isText(src) &&
    isTextOrMissing(mimeType) &&
    (sizes === undefined || isListOf(sizes, isText)) &&
    (theme === undefined || theme === "light" || theme === "dark")
  );
}

/** Audience and priority (MCP, "Annotations"). Annotations with a date are left to the SDK. */
export function areAnnotationsOrMissing(annotations: unknown): boolean {
  if (annotations === undefined) return true;
  if (!isRecord(annotations) || annotations.lastModified !== undefined) return false;
  const { audience, priority = 0 } = annotations;
  return (
    (audience === undefined || isListOf(audience, isRole)) &&
    typeof priority === "number" &&
    priority >= 0 &&
    priority <= 1
  );
}

/** How long and for whom a result is valid (MCP 2026-07-28, "Caching"). Many servers leave this out. */
export function areCacheHintsOrMissing({
  ttlMs = 0,
  cacheScope = "private",
}: {
  readonly [member: string]: unknown;
}): boolean {
  const isTime = Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0;
  return isTime && (cacheScope === "private" || cacheScope === "public");
}

export function isRole(value: unknown): boolean {
  return value === "user" || value === "assistant";
}
