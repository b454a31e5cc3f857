import { textWidth } from '../table/text-width.ts';

/** A text as lines of at most `widthMax` columns, broken between words; a longer word stands alone. */
export function wrapText(text: string, widthMax: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer) > widthMax) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
