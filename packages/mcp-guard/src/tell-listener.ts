/**
 * Tells a listener what was found. Advice decides on nothing: what the listener throws is lost, and so is what it rejects with where it
 * is asynchronous, which would otherwise end the process.
 */
export function tellListener<Finding>(
  listener: ((finding: Finding) => void) | undefined,
  finding: Finding,
): void {
  try {
    Promise.resolve(listener?.(finding)).catch(() => {});
  } catch {
    // Whoever listens has to look after himself.
  }
}
