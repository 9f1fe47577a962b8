declare function matchesPattern(pattern: string, name: string): boolean;
export { matchesPattern };
