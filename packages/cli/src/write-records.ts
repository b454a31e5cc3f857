import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Cell } from '@quire/client';
import type { Environment } from './environment.ts';
import { tabbedRow } from './row-lines.ts';
import { stylesFor } from './styles.ts';
import { cellContent, cellText } from './table/cell-text.ts';
import { layOutTable, type TableColumn } from './table/text-table.ts';

/** A list in both forms that a command writes: for terminals and for pipes. */
export interface RecordList<Item> {
  /** The columns on a terminal. */
  readonly columns: readonly TableColumn[];
  /** The names of the cells of `plain`: the header line in a pipe. */
  readonly plainNames: readonly string[];
  readonly items: readonly Item[];
  /** Returns the cells of an item on a terminal. */
  readonly shown: (item: Item) => readonly Cell[];
  /** Returns the cells of an item in a pipe. */
  readonly plain: (item: Item) => readonly Cell[];
  /** The text for an empty list on a terminal. */
  readonly emptyText: string;
  /** The width of the table on a terminal; by default, the terminal's. */
  readonly widthMax?: number | undefined;
}

/** The form of a list, by the options of {@link withListOptions}. */
export interface ListOptions {
  readonly json?: true | undefined;
  /** False leaves out the header line in a pipe. */
  readonly header: boolean;
}

/** Adds the options of every list. */
export function withListOptions<
  Args extends unknown[],
  Options extends OptionValues,
  Globals extends OptionValues,
>(command: Command<Args, Options, Globals>) {
  return command
    .option('--no-header', 'in a pipe: omit the header line')
    .option('--json', 'one JSON object per line');
}

/**
 * Writes a list: a table on a terminal, tab-separated lines after a header line in a pipe, one JSON
 * object per line with `--json`.
 */
export async function writeRecords<Item extends object>(
  { columns, plainNames, items, shown, plain, emptyText, widthMax }: RecordList<Item>,
  { json, header }: ListOptions,
  { stdout, variables }: Environment,
): Promise<void> {
  if (json === true) {
    return stdout.write(items.map((item) => `${cellContent(item as Cell)}\n`).join(''));
  }
  if (!stdout.isTerminal) {
    const lines = items.map((item) => tabbedRow(plain(item)));
    return stdout.write([header ? tabbedRow(plainNames) : '', ...lines].join(''));
  }
  const styles = stylesFor(stdout, variables);
  if (items.length === 0) return stdout.write(`${styles.faint(emptyText)}\n`);
  const table = layOutTable(columns, items.map(shown), {
    widthMax: widthMax ?? stdout.size.columns,
    styles,
  });
  return stdout.write([...table.header, ...table.lines, ''].join('\n'));
}

/**
 * Writes the members of one record, one per line: aligned on a terminal, with a tab between name
 * and value in a pipe.
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
