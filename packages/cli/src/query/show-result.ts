import type { Environment } from '../environment.ts';
import { screenRowsOf } from '../pager/run-pager.ts';
import { describeRows, formatElapsed } from '../phrases.ts';
import { stylesFor } from '../styles.ts';
import { layOutTable } from '../table/text-table.ts';
import { type QueryRequest, runQuery } from './query-request.ts';
import type { TimedPage } from '../pager/pager-state.ts';

/**
 * Runs a query and prints the first rows of its result: as many as were asked for, or as fit on the
 * screen.
 */
export async function printScreenful(
  environment: Environment,
  request: QueryRequest,
): Promise<void> {
  const { cursor, elapsedMs } = await runQuery(
    environment,
    request,
    request.rowCountMax ?? screenRowsOf(environment),
  );
  await printTable(environment, { page: cursor.page, elapsedMs });
}

/** Prints a page as a table, with what is to be known of it below. */
export async function printTable(
  environment: Environment,
  { page, elapsedMs }: TimedPage,
): Promise<void> {
  const { stdout } = environment;
  const styles = stylesFor(stdout, environment.variables);
  const table = layOutTable(page.columns, page.rows, { widthMax: stdout.size.columns, styles });
  const facts = [describeRows(page), formatElapsed(elapsedMs), `result ${page.requestId}`];
  const hidden = page.columns.length - table.plan.length;
  if (hidden > 0) facts.splice(1, 0, `${hidden} of ${page.columns.length} columns hidden`);
  await stdout.write(
    [...table.header, ...table.lines, styles.faint(facts.join(' · ')), ''].join('\n'),
  );
}
