import type { Row } from '@quire/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isNumeric } from '../query/grid-columns.ts';
import { saveFile } from '../save-file.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { inOwnDialect } from '../query/result-query.ts';
import { Choice } from '../widgets/choice.tsx';
import { Empty, Failed, Loading } from '../widgets/states.tsx';
import { drawChart, svgFile } from './draw.ts';
import {
  firstWish,
  fitsX,
  limitNote,
  type Measure,
  measures,
  type PlotKind,
  plotKinds,
  plotQuery,
  type PlotSource,
  type PlotSpec,
} from './plot-sql.ts';

const kindNames: Readonly<Record<PlotKind, string>> = {
  bars: 'Bars by value',
  line: 'Line',
  histogram: 'Histogram',
  dots: 'Dots (sample)',
};

/**
 * A chart of a result. The server computes it over all rows; the browser receives only the drawn
 * rows.
 */
export function PlotPanel({
  sql,
  columns,
  rowCount,
}: PlotSource & {
  /** The number of rows of the result. */
  readonly rowCount: number;
}): ReactNode {
  const [first] = useState(() => firstWish(columns, rowCount));
  const [kind, setKind] = useState<PlotKind>(first.kind);
  const [xKey, setX] = useState(first.x?.key);
  const [yKey, setY] = useState<string>();
  const [measure, setMeasure] = useState<Measure>(first.measure);
  const xs = columns.filter((column) => fitsX(kind, column));
  const ys = columns.filter(({ dataType }) => isNumeric(dataType));
  const x =
    xs.find(({ key }) => key === xKey) ??
    (kind === 'bars' ? xs.find(({ dataType }) => dataType === 'STRING') : undefined) ??
    xs[0];
  const y = ys.find(({ key }) => key === yKey) ?? ys.find(({ key }) => key !== x?.key) ?? ys[0];
  const takesMeasure = kind === 'bars' || kind === 'line';
  return (
    <div className="plot">
      <div className="toolbar plot-bar">
        <Choice
          label="Kind"
          value={kind}
          options={plotKinds.map((each) => [each, kindNames[each]])}
          onChange={(value) => setKind(value as PlotKind)}
        />
        <Choice
          label={kind === 'bars' ? 'For each' : 'Along'}
          value={x?.key ?? ''}
          options={xs.map(({ key }) => [key, key])}
          onChange={setX}
        />
        {takesMeasure && (
          <Choice
            label="Show"
            value={measure}
            options={measures.map((each) => [each, each])}
            onChange={(value) => setMeasure(value as Measure)}
          />
        )}
        {((takesMeasure && measure !== 'count') || kind === 'dots') && (
          <Choice
            label={kind === 'dots' ? 'Against' : 'of'}
            value={y?.key ?? ''}
            options={ys.map(({ key }) => [key, key])}
            onChange={setY}
          />
        )}
      </div>
      {x === undefined ? (
        <Empty title="No column fits">
          <p>{kindNames[kind]} needs a column of numbers.</p>
        </Empty>
      ) : (
        <Chart sql={sql} spec={{ kind, x, y, measure: takesMeasure ? measure : 'count' }} />
      )}
    </div>
  );
}

/** One chart of the rows of a query. */
export function Chart({ sql, spec }: { readonly sql: string; readonly spec: PlotSpec }): ReactNode {
  const { client, dialects } = useSession();
  const query = inOwnDialect(plotQuery(sql, spec), dialects);
  const rows = useResource(query, async (signal): Promise<readonly Row[]> => {
    await using cursor = await client.query(query, { rowCount: 10_000, signal });
    return cursor.page.rows;
  });
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null || rows.value === undefined || rows.value.length === 0) return;
    const chart = drawChart(rows.value, spec, Math.max(320, Math.min(current.clientWidth, 1100)));
    chart.setAttribute('role', 'img');
    chart.setAttribute('aria-label', `${kindNames[spec.kind]} of ${spec.x.key}`);
    current.replaceChildren(chart);
    // The options are part of the query.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [rows.value, query]);
  if (rows.error !== undefined) return <Failed error={rows.error} onRetry={rows.reload} />;
  if (rows.value === undefined) return <Loading what="the chart" />;
  if (rows.value.length === 0) return <Empty title="The query has no rows to draw" />;
  const note = limitNote(spec.kind, rows.value.length);
  const save = (): void => {
    const chart = box.current?.querySelector('svg');
    if (chart === null || chart === undefined) return;
    saveFile(svgFile(chart), `${spec.kind}.svg`);
  };
  return (
    <figure className="plot-figure">
      <div ref={box} className="chart-box" />
      <figcaption className="toolbar">
        <span className="quiet">{note ?? 'The chart shows all rows of the result.'}</span>
        <button type="button" className="button small push" onClick={save}>
          Save as SVG
        </button>
      </figcaption>
    </figure>
  );
}
