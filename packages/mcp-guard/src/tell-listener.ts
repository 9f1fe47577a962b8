/**
 * Tells a listener what was found. Findings are advisory: errors that the listener throws are ignored, and so are its
 * rejections, which would otherwise end the process.
 */
export function tellListener<Finding>(
  listener: ((finding: Finding) => void) | undefined,
  finding: Finding,
): void {
  try {
    Promise.resolve(listener?.(finding)).catch(() => {});
  } catch {
    // A listener must handle its own errors.
  }
}
