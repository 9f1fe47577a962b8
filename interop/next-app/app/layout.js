import { createElement } from "react";

// biome-ignore lint/style/noDefaultExport: Next.js looks for it
export default function Layout({ children }) {
  return createElement("html", null, createElement("body", null, children));
}
