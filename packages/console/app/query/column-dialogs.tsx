import { visibleText } from '@quire/core/portable';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { counted, formatCount } from '../format.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Dialog } from '../widgets/dialog.tsx';
import { Fact } from '../widgets/page.tsx';
import { Failed, Loading, Resolved } from '../widgets/states.tsx';
import { type GridColumn, isNumeric } from './grid-columns.ts';
import { readPlain } from './plain-query.ts';
import type { OpenResult } from './result-pages.ts';
import { inOwnDialect, selectResult } from './result-query.ts';
import { exactRowsMax, findQuery, statisticsQuery } from './row-view.ts';

const Chart = lazy(async () => ({ default: (await import('../plot/plot-panel.tsx')).Chart }));

/** The distribution of a column's values, computed by the server over all rows. */
export function StatisticsDialog({
  result,
  column,
  onClose,
}: {
  readonly result: OpenResult;
  readonly column: GridColumn;
  readonly onClose: () => void;
}): ReactNode {
  const { call, dialects } = useSession();
  const sql = inOwnDialect(
    statisticsQuery(result.requestId, column, result.totalRowCount),
    dialects,
  );
  const statistics = useResource(sql, async (signal) => {
    const { rows } = await readPlain(call, sql, signal);
    const [all, nulls, distinct, least, greatest, mean] = rows[0] ?? [];
    return {
      rowCount: Number(all),
      nullCount: Number(nulls),
      distinctCount: Number(distinct),
      least,
      greatest,
      mean,
    };
  });
  const about = result.totalRowCount > exactRowsMax ? 'about ' : '';
  return (
    <Dialog title={`Statistics of ${visibleText(column.key)}`} onClose={onClose}>
      <Resolved of={statistics} what="the statistics">
        {({ rowCount, nullCount, distinctCount, least, greatest, mean }) => (
          <>
            <dl className="facts">
              <Fact name="Type" value={column.dataType} />
              <Fact name="Rows" value={formatCount(rowCount)} />
              <Fact name="Nulls" value={shareOf(nullCount, rowCount)} />
              <Fact name="Distinct" value={`${about}${formatCount(distinctCount)}`} />
              <Fact name="Least" value={shown(least)} />
              <Fact name="Greatest" value={shown(greatest)} />
              {isNumeric(column.dataType) && <Fact name="Mean" value={shown(mean)} />}
            </dl>
            {rowCount > nullCount && (
              <Suspense fallback={<Loading what="the chart" />}>
                <Chart
                  sql={selectResult(result.requestId)}
                  spec={{
                    kind: isNumeric(column.dataType) ? 'histogram' : 'bars',
                    x: column,
                    y: undefined,
                    measure: 'count',
                  }}
                />
              </Suspense>
            )}
          </>
        )}
      </Resolved>
    </Dialog>
  );
}

function shown(text: string | null | undefined): ReactNode {
  if (text === null || text === undefined) return <span className="null">null</span>;
  return visibleText(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

function shareOf(count: number, all: number): string {
  return count === 0 || all === 0
    ? formatCount(count)
    : `${formatCount(count)} (${((100 * count) / all).toFixed(1)} %)`;
}

/** Finds the next cell of a column that contains a text. */
export function FindDialog({
  result,
  column,
  row,
  onFound,
  onClose,
}: {
  readonly result: OpenResult;
  readonly column: GridColumn;
  readonly row: number;
  readonly onFound: (row: number) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { call, dialects } = useSession();
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ readonly row: number; readonly count: number }>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const search = useRef<AbortController>(undefined);
  useEffect(() => () => search.current?.abort(), []);
  const find = async (): Promise<void> => {
    const { signal } = (search.current = new AbortController());
    setIsBusy(true);
    setError(undefined);
    try {
      // A search starts at the current row.
      const sql = findQuery(result.requestId, column, { text, row: found?.row ?? row - 1 });
      const { rows } = await readPlain(call, inOwnDialect(sql, dialects), signal);
      if (signal.aborted) return;
      const [[next, first, count] = []] = rows;
      const place = Number(next ?? first ?? 0) - 1;
      setFound({ row: place, count: Number(count) });
      if (place >= 0) onFound(place);
    } catch (cause) {
      if (!signal.aborted) setError(cause);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={`Find in ${visibleText(column.key)}`} onClose={onClose}>
      <form
        className="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          void find();
        }}
      >
        <input
          type="search"
          aria-label="Text to find"
          value={text}
          autoFocus
          required
          onChange={(event) => {
            search.current?.abort();
            setText(event.target.value);
            setFound(undefined);
          }}
        />
        <button type="submit" className="button main" disabled={isBusy}>
          {found === undefined ? 'Find' : 'Next'}
        </button>
        <span className="quiet" role="status">
          {found !== undefined &&
            (found.count === 0
              ? 'No cell contains this text.'
              : `Row ${formatCount(found.row + 1)}; ${counted(found.count, 'cell')} with it.`)}
        </span>
      </form>
      {error !== undefined && <Failed error={error} />}
    </Dialog>
  );
}
