// What plain answers are made of: parts of which the SDK's schemas say that they are as they should be. A part that is judged here as
// not plain may still be good; then the SDK has to say so.

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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

/** Pictures of whatever has a name (MCP, "Icons"). */
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

/** For whom something is, and how much it matters (MCP, "Annotations"). A date takes a closer look. */
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

/** How long and for whom a result holds (MCP 2026-07-28, "Caching"). Many servers do not say it. */
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
