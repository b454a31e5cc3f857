import type { Finding } from '@quire/core/table-engine';
import { visibleText } from '@quire/core/portable';
import type { Styles } from '../styles.ts';
import { textWidth } from '../table/text-width.ts';

export interface FindingLayout {
  readonly styles: Styles;
  readonly widthMax: number;
}

const order = ['error', 'warning', 'info'] as const;
const indent = 9;

/** Renders findings, the most severe first: the message, and below it the code and the path. */
export function renderFindings(
  findings: readonly Finding[],
  { styles, widthMax }: FindingLayout,
): readonly string[] {
  const sorted = order.flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
  return sorted.flatMap(({ severity, message, path, code }) => {
    const [first = '', ...more] = wrapText(visibleText(message), Math.max(20, widthMax - indent));
    const style =
      severity === 'error' ? styles.bad : severity === 'warning' ? styles.strong : styles.faint;
    return [
      `${style(severity.padEnd(indent))}${first}`,
      ...more.map((line) => ' '.repeat(indent) + line),
      ' '.repeat(indent) + styles.faint(`${code}${path === '' ? '' : ` at ${visibleText(path)}`}`),
    ];
  });
}

/**
 * Wraps a text into lines of at most `widthMax` columns, between words; a longer word has its own
 * line.
 */
function wrapText(text: string, widthMax: number): readonly string[] {
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
