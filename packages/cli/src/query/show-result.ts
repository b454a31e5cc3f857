import type { Environment } from '../environment.ts';
import { describeRows, formatElapsed, grouped } from '../phrases.ts';
import { stylesFor } from '../styles.ts';
import { layOutTable } from '../table/text-table.ts';
import type { TimedPage } from '../pager/pager-state.ts';

/** Prints a page as a table, with facts about it below. */
export async function printTable(
  environment: Environment,
  { page, elapsedMs }: TimedPage,
  { isCancelled = false } = {},
): Promise<void> {
  const { stdout } = environment;
  const styles = stylesFor(stdout, environment.variables);
  const table = layOutTable(page.columns, page.rows, { widthMax: stdout.size.columns, styles });
  const facts = isCancelled
    ? [`${describeFirst(page.rows.length)}; the query was cancelled`, formatElapsed(elapsedMs)]
    : [describeRows(page), formatElapsed(elapsedMs), `result ${page.requestId}`];
  const hidden = page.columns.length - table.plan.length;
  if (hidden > 0) facts.splice(1, 0, `${hidden} of ${page.columns.length} columns hidden`);
  await stdout.write(
    [...table.header, ...table.lines, styles.faint(facts.join(' · ')), ''].join('\n'),
  );
}

function describeFirst(rowCount: number): string {
  return rowCount === 1 ? 'first row' : `first ${grouped(rowCount)} rows`;
}
