/** One bar: a client and its ratio to the baseline. */
export interface Bar {
  readonly label: string;
  readonly ratio: number;
  /** Drawn in the colour of what the chart is about. */
  readonly isOwn: boolean;
}

/** One figure of all clients. */
export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 880;
const COLUMNS = 2;
const PANEL_WIDTH = WIDTH / COLUMNS;
const LABEL_WIDTH = 176;
const VALUE_WIDTH = 52;
const MARGIN = 16;
const BAR_HEIGHT = 12;
const LINE_HEIGHT = 18;
const TITLE_HEIGHT = 34;
const CAPTION_HEIGHT = 30;

/** Readable on light and on dark ground: the reader's system chooses. */
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 13px; }
  .value { font-variant-numeric: tabular-nums; }
  .caption { fill: #57606a; }
  .bar { fill: #8c959f; }
  .own { fill: #0969da; }
  .line { stroke: #57606a; stroke-dasharray: 2 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .caption { fill: #9198a1; }
    .bar { fill: #6e7681; }
    .own { fill: #4493f8; }
    .line { stroke: #9198a1; }
  }
`;

/** The panels as an SVG document. In each the longest bar is as long as there is room; a dotted line stands where the baseline ends. */
export function chartOf(panels: readonly Panel[], caption: string): string {
  const rows = Array.from({ length: Math.ceil(panels.length / COLUMNS) }, (_, row) =>
    panels.slice(row * COLUMNS, (row + 1) * COLUMNS),
  );
  let y = MARGIN;
  const drawn = rows.flatMap((row) => {
    const top = y;
    y += Math.max(...row.map(heightOf));
    return row.map((panel, column) => drawPanel(panel, column * PANEL_WIDTH + MARGIN, top));
  });
  const height = y + CAPTION_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(caption)}</title>`,
    `<style>${STYLE}</style>`,
    ...drawn,
    `<text class="caption" x="${MARGIN}" y="${height - 10}">${escaped(caption)}</text>`,
    "</svg>\n",
  ].join("\n");
}

function heightOf({ bars }: Panel): number {
  return TITLE_HEIGHT + bars.length * LINE_HEIGHT + MARGIN;
}

function drawPanel({ title, bars }: Panel, x: number, y: number): string {
  const room = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH - 2 * MARGIN;
  const longest = Math.max(1, ...bars.map(({ ratio }) => ratio));
  const begin = x + LABEL_WIDTH;
  const lines = bars.map(({ label, ratio, isOwn }, index) => {
    const top = y + TITLE_HEIGHT + index * LINE_HEIGHT;
    const width = Math.max(1, (Math.max(0, ratio) / longest) * room);
    const baseline = top + BAR_HEIGHT - 2;
    return [
      `<text x="${begin - 8}" y="${baseline}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="bar${isOwn ? " own" : ""}" x="${begin}" y="${top}" width="${rounded(width)}" height="${BAR_HEIGHT}" rx="2"/>`,
      `<text class="value" x="${rounded(begin + width + 6)}" y="${baseline}">${ratio.toFixed(2)} ×</text>`,
    ].join("");
  });
  const one = rounded(begin + room / longest);
  const [from, to] = [y + TITLE_HEIGHT - 4, y + TITLE_HEIGHT + bars.length * LINE_HEIGHT - 2];
  return [
    "<g>",
    `<text class="title" x="${x}" y="${y + 18}">${escaped(title)}</text>`,
    `<line class="line" x1="${one}" x2="${one}" y1="${from}" y2="${to}"/>`,
    ...lines,
    "</g>",
  ].join("\n");
}

function rounded(number: number): string {
  return String(Math.round(number * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
