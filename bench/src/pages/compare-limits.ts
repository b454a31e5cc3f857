import { pageOffsets } from '../http/page-offsets.ts';
import { type ComparisonEntry, quire } from '../measure/comparison.ts';
import type { PageOptions } from '../quire/stored-query.ts';
import { formatCount, type PageComparison } from './page-comparison.ts';

/** The servers of the same bytes as files: nginx by `sendfile`, and Node. */
export const compareLimits: PageComparison = async (stage) => {
  const { rows, basePageRows } = stage.sizes;
  const stored = await stage.stored('file', 'mixed', rows.base);
  const pages: readonly (PageOptions & {
    readonly level: string;
    readonly pageRowCount: number;
  })[] = [
    { level: 'JSON, 1 row', pageRowCount: 1 },
    { level: 'JSON, 100 rows', pageRowCount: 100 },
    { level: `JSON, ${formatCount(basePageRows)} rows`, pageRowCount: basePageRows },
    {
      level: `Arrow, ${formatCount(basePageRows)} rows`,
      pageRowCount: basePageRows,
      format: 'arrow',
    },
  ];
  const entries: ComparisonEntry[] = [];
  for (const { level, ...page } of pages) {
    const offsets = pageOffsets('random', rows.base, page.pageRowCount);
    const loads = await stage.rawLoads(stored, { ...page, offsets });
    entries.push({ level, name: quire, contender: loads.quire });
    entries.push({ level, name: 'static-file', contender: loads.staticFile });
    if (loads.nginx !== undefined) entries.push({ level, name: 'nginx', contender: loads.nginx });
  }
  return {
    id: 'page-limits',
    title: 'Pages beside the same bytes as files, by a client that only looks for their end',
    unit: 'ms',
    factor: 'page',
    comparesLevels: false,
    entries,
  };
};
