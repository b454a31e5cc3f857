import type { QueryPage } from '@quire/client';
import { describeRows, formatElapsed, grouped } from '../phrases.ts';
import type { Styles } from '../styles.ts';
import type { PlannedColumn } from '../table/plan-columns.ts';
import { renderTable } from '../table/text-table.ts';
import { cutText } from '../table/text-width.ts';
import type { PagerState } from './pager-state.ts';

/** Lines of the screen that are not rows: two for the table's header, one for the status. */
export const reservedLines = 3;

export interface ScreenOptions {
  readonly columns: number;
  readonly styles: Styles;
  /**
   * The layout of the columns of the whole page, so that scrolling within it does not move them.
   */
  readonly plan: readonly PlannedColumn[];
  /** The time that loading the page took, in milliseconds. */
  readonly elapsedMs: number;
  readonly isLoading?: boolean;
  /** True if more rows may follow. */
  readonly isGrowing?: boolean | undefined;
}

const help = [
  'Moving through the result',
  '',
  '  n  →  Space       next page (Space first scrolls a page that is larger than the screen)',
  '  p  b  ←           previous page',
  '  g                 go to a row',
  '  Home              first page',
  '  G  End            last page',
  '  ↑ ↓  j k          scroll within a page',
  '  < >               show columns further left or right',
  '  + -  s            larger, smaller pages; set the page size',
  '  q  Esc            quit',
  '',
  'Press any key to go back.',
];

/**
 * Renders the screen, one element for each line, none wider than the terminal. The last one is the
 * status line.
 */
export function renderScreen(
  state: PagerState,
  page: QueryPage,
  options: ScreenOptions,
): readonly string[] {
  if (state.helpIsOpen) return help.map((line) => cutText(line, options.columns).text);
  const rows = page.rows.slice(state.scroll, state.scroll + state.screenRows);
  const table = renderTable(page.columns, rows, options.plan, options.styles);
  return [...table.header, ...table.lines, renderStatus(state, page, options)];
}

function renderStatus(state: PagerState, page: QueryPage, options: ScreenOptions): string {
  const { styles, columns } = options;
  if (state.prompt !== undefined) {
    const question = state.prompt.kind === 'row' ? 'Go to row' : 'Rows per page';
    return cutText(`${question}: ${state.prompt.digits}█`, columns).text;
  }
  if (state.message !== undefined) return styles.bad(cutText(state.message, columns).text);
  const facts = [
    options.isGrowing === true ? `${describeRows(page)} so far, running …` : describeRows(page),
  ];
  if (page.rows.length > state.screenRows) {
    facts.push(
      `showing ${state.scroll + 1}–${Math.min(state.scroll + state.screenRows, page.rows.length)} of this page (↑↓)`,
    );
  }
  const hiddenColumns = state.columnCount - options.plan.length;
  if (hiddenColumns > 0) {
    facts.push(`${hiddenColumns} of ${state.columnCount} columns hidden (< >)`);
  }
  facts.push(
    `page size ${grouped(state.pageSize)}`,
    options.isLoading === true ? 'loading …' : formatElapsed(options.elapsedMs),
  );
  const status = facts.join(' · ');
  const keys = '   n next  p previous  g go to  ? help  q quit';
  const fits = status.length + keys.length <= columns;
  return fits ? `${status}${styles.faint(keys)}` : cutText(`${status}   ? help`, columns).text;
}
