import type { Cell } from '@quire/client';

const lineBreakers: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** Control characters, line separators and direction overrides: none may reach a terminal, where they act. */
const unprintablePattern = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A cell as one line of printable text: what it holds, with control characters as escapes. NULL for null. */
export function cellText(cell: Cell): string {
  return printable(cellContent(cell));
}

/** A cell as text, whole and unescaped: strings as they are, arrays and objects as JSON. */
export function cellContent(cell: Cell): string {
  if (cell === null) return 'NULL';
  return typeof cell === 'object' ? jsonText(cell) : String(cell);
}

/** Replaces what would act on a terminal by an escape. */
export function printable(text: string): string {
  return text.replace(unprintablePattern, (character) => lineBreakers[character] ?? escapeCode(character));
}

function escapeCode(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

/** JSON with the digits of bigints, which JSON.stringify refuses; NaN and infinities as strings, as on the wire. */
function jsonText(cell: Cell): string {
  if (Array.isArray(cell)) return `[${cell.map((element: Cell) => jsonText(element)).join(',')}]`;
  if (cell instanceof Date) return JSON.stringify(cell);
  if (typeof cell === 'object' && cell !== null) {
    return `{${Object.entries(cell)
      .map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`)
      .join(',')}}`;
  }
  if (typeof cell === 'bigint') return String(cell);
  return JSON.stringify(typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell);
}
