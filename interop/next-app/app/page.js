// biome-ignore lint/style/noDefaultExport: Next.js looks for it
export default function Page() {
  return "An application with one runtime.";
}
