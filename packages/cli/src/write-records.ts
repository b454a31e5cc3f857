import type { Cell } from '@quire/client';
import type { Environment } from './environment.ts';
import { tabbedRow } from './row-lines.ts';
import { stylesFor } from './styles.ts';
import { cellContent, cellText } from './table/cell-text.ts';
import { layOutTable, type TableColumn } from './table/text-table.ts';

/** A list as a command writes it: the same rows for people and for programs. */
export interface RecordList<Item> {
  readonly columns: readonly TableColumn[];
  readonly items: readonly Item[];
  /** Cells of an item as people read them. */
  readonly shown: (item: Item) => readonly Cell[];
  /** Cells of an item as programs read them. */
  readonly plain: (item: Item) => readonly Cell[];
  /** What a terminal says of an empty list. */
  readonly emptyText: string;
  readonly isJson: boolean;
}

/**
 * Writes a list: a table on a terminal, tabbed lines in a pipe, one JSON object a line where that
 * is asked for.
 */
export async function writeRecords<Item extends object>(
  { columns, items, shown, plain, emptyText, isJson }: RecordList<Item>,
  { stdout, variables }: Environment,
): Promise<void> {
  if (isJson) return stdout.write(items.map((item) => `${cellContent(item as Cell)}\n`).join(''));
  if (!stdout.isTerminal) return stdout.write(items.map((item) => tabbedRow(plain(item))).join(''));
  const styles = stylesFor(stdout, variables);
  if (items.length === 0) return stdout.write(`${styles.faint(emptyText)}\n`);
  const table = layOutTable(columns, items.map(shown), { widthMax: stdout.size.columns, styles });
  return stdout.write([...table.header, ...table.lines, ''].join('\n'));
}

/**
 * Writes members of one record, a line each: aligned on a terminal, with a tab between name and
 * value in a pipe.
 */
export async function writeMembers(
  members: readonly (readonly [string, Cell])[],
  { stdout, variables }: Environment,
): Promise<void> {
  const { faint } = stylesFor(stdout, variables);
  const nameWidth = Math.max(0, ...members.map(([name]) => name.length));
  const lines = members.map(([name, value]) =>
    stdout.isTerminal
      ? `${faint(name.padEnd(nameWidth))}  ${cellText(value)}`
      : tabbedRow([name, value]).trimEnd(),
  );
  await stdout.write(lines.map((line) => `${line}\n`).join(''));
}
