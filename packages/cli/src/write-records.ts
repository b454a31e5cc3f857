import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Cell } from '@quire/client';
import type { Environment } from './environment.ts';
import { tabbedRow } from './row-lines.ts';
import { stylesFor } from './styles.ts';
import { cellContent, cellText } from './table/cell-text.ts';
import { layOutTable, type TableColumn } from './table/text-table.ts';

/** A list as a command writes it: the same rows for people and for programs. */
export interface RecordList<Item> {
  /** Columns as people see them. */
  readonly columns: readonly TableColumn[];
  /** Names of the cells of `plain`: the line of headings in a pipe. */
  readonly plainNames: readonly string[];
  readonly items: readonly Item[];
  /** Cells of an item as people read them. */
  readonly shown: (item: Item) => readonly Cell[];
  /** Cells of an item as programs read them. */
  readonly plain: (item: Item) => readonly Cell[];
  /** What a terminal says of an empty list. */
  readonly emptyText: string;
  /** Width of the table on a terminal; default: the terminal's. */
  readonly widthMax?: number | undefined;
}

/** How the user wants a list, by the options of {@link withListOptions}. */
export interface ListOptions {
  readonly json?: true | undefined;
  /** False: no line of headings in a pipe. */
  readonly header: boolean;
}

/** Adds the options that every list has. */
export function withListOptions<
  Args extends unknown[],
  Options extends OptionValues,
  Globals extends OptionValues,
>(command: Command<Args, Options, Globals>) {
  return command
    .option('--no-header', 'in a pipe: leave out the line of headings')
    .option('--json', 'one JSON object per line');
}

/**
 * Writes a list: a table on a terminal, tabbed lines below a line of headings in a pipe, one JSON
 * object a line with `--json`.
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
