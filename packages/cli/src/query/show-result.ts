import type { Environment } from '../environment.ts';
import { runPager, screenRowsOf } from '../pager/run-pager.ts';
import { describeRows, formatElapsed } from '../phrases.ts';
import { stylesFor } from '../styles.ts';
import { layOutTable } from '../table/text-table.ts';
import { type QueryRequest, runQuery, timed } from './query-request.ts';
import type { TimedPage } from '../pager/pager-state.ts';

/** Runs a query and lets the user move through its result; a result that fits on the screen is just printed. */
export async function browseResult(environment: Environment, request: QueryRequest): Promise<void> {
  const { pageSize } = request;
  const { cursor, elapsedMs } = await runQuery(environment, request, pageSize ?? screenRowsOf(environment));
  const first = { page: cursor.page, elapsedMs };
  const { rows, totalRowCount } = cursor.page;
  const isAllOnScreen = rows.length === totalRowCount && rows.length <= screenRowsOf(environment);
  const last = isAllOnScreen
    ? first
    : await runPager(environment, first, {
        pageSize,
        load: async ({ offset, rowCount }, signal) => {
          cursor.pageSize = rowCount;
          const { value: page, elapsedMs: pageElapsedMs } = await timed(environment, () => cursor.seek(offset, { signal }));
          return { page, elapsedMs: pageElapsedMs };
        },
      });
  // The pager's screen is gone when it ends: what was seen last stays, as after any other command.
  await printTable(environment, last);
}

/** Runs a query and prints the first rows of its result: as many as were asked for, or as fit on the screen. */
export async function printScreenful(environment: Environment, request: QueryRequest): Promise<void> {
  const { cursor, elapsedMs } = await runQuery(environment, request, request.rowCountMax ?? screenRowsOf(environment));
  await printTable(environment, { page: cursor.page, elapsedMs });
}

async function printTable(environment: Environment, { page, elapsedMs }: TimedPage): Promise<void> {
  const { stdout } = environment;
  const styles = stylesFor(stdout, environment.variables);
  const table = layOutTable(page.columns, page.rows, { widthMax: stdout.size.columns, styles });
  const facts = [describeRows(page), formatElapsed(elapsedMs), `result ${page.requestId}`];
  const hidden = page.columns.length - table.plan.length;
  if (hidden > 0) facts.splice(1, 0, `${hidden} of ${page.columns.length} columns hidden`);
  await stdout.write([...table.header, ...table.lines, styles.faint(facts.join(' · ')), ''].join('\n'));
}
