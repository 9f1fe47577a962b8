// biome-ignore lint/style/noDefaultExport: Next.js looks for it
export default { serverExternalPackages: ["jackfield"] };
