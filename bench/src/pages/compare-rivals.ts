import { pageOffsets } from '../http/page-offsets.ts';
import { rivalKinds } from '../rivals/rival.ts';
import { entriesOf, formatCount, type PageComparison } from './page-comparison.ts';

/** Compares Quire with all rivals on one page. All other comparisons vary that page. */
export const compareRivals: PageComparison = async (stage) => {
  const { rows, basePageRows } = stage.sizes;
  const stored = await stage.stored('file', 'mixed', rows.base);
  const reading = {
    offsets: pageOffsets('random', rows.base, basePageRows),
    pageRowCount: basePageRows,
  };
  return {
    id: 'page-rivals',
    title: `A JSON page of ${formatCount(basePageRows)} rows × 10 columns at random offsets of ${formatCount(rows.base)} rows`,
    unit: 'ms',
    factor: 'page',
    comparesLevels: false,
    entries: await entriesOf(
      stage,
      [{ level: 'random offsets', stored, table: 'mixed', reading }],
      rivalKinds,
    ),
  };
};
