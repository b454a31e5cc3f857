import type { TextRows } from './comparison-rows.ts';

/** Formats lines of aligned columns, for a terminal. */
export function textTable({ heads, rows, firstFigure }: TextRows): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column < firstFigure
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [line(heads), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}

/** The same as Markdown. */
export function markdownTable({ heads, rows, firstFigure }: TextRows): string {
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = heads.map((_, column) => (column < firstFigure ? '---' : '---:'));
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}
