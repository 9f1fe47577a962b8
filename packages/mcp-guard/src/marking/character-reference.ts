/** A character, and how many UTF-16 units of the text it takes. */
export interface ReadCharacter {
  readonly character: string;
  readonly length: number;
}

/** Of all names of HTML only those that could take part in a marker: slashes, lines, and white space. */
const NAMED: Readonly<Record<string, string>> = {
  sol: "/",
  bsol: "\\",
  lowbar: "_",
  underbar: "_",
  hyphen: "-",
  dash: "-",
  nbsp: " ",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  tab: " ",
  newline: " ",
  shy: " ",
  zwj: " ",
  zwnj: " ",
  zerowidthspace: " ",
  nobreak: " ",
};

const REFERENCE = new RegExp(
  `&(?:#0*(\\d{1,7})|#x0*([\\da-f]{1,6})|(${Object.keys(NAMED).join("|")}));?`,
  "iy",
);

/** The character at an index of a text; a character reference of HTML is read as the character that it stands for. */
export function characterAt(text: string, index: number): ReadCharacter {
  const codePoint = text.codePointAt(index) ?? 0;
  if (codePoint === AMPERSAND) {
    REFERENCE.lastIndex = index;
    const [reference = "", decimal, hexadecimal, name] = REFERENCE.exec(text) ?? [];
    const character =
      name === undefined
        ? characterOf(decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal))
        : NAMED[name.toLowerCase()];
    if (character !== undefined) return { character, length: reference.length };
  }
  return { character: String.fromCodePoint(codePoint), length: codePoint > 0xffff ? 2 : 1 };
}

const AMPERSAND = 0x26;

function characterOf(codePoint: number): string | undefined {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined;
}
