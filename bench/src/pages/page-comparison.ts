import type { TableName } from '../data/tables.ts';
import { type Comparison, type ComparisonEntry, quire } from '../measure/comparison.ts';
import type { RivalKind } from '../rivals/rival.ts';
import type { StoredQuery } from '../quire/stored-query.ts';
import type { PageStage, Reading } from './page-stage.ts';

export type PageComparison = (stage: PageStage) => Promise<Comparison>;

/** The data of one level of a comparison: a result, its table, and the pages. */
export interface Level {
  readonly level: string;
  readonly stored: StoredQuery;
  readonly table: TableName;
  readonly reading: Reading;
}

/** Quire and rivals at each level, without those that cannot run here. */
export async function entriesOf(
  stage: PageStage,
  levels: readonly Level[],
  rivals: readonly RivalKind[],
): Promise<readonly ComparisonEntry[]> {
  const entries: ComparisonEntry[] = [];
  for (const { level, stored, table, reading } of levels) {
    entries.push({ level, name: quire, contender: await stage.quireLoad(stored, reading) });
    for (const kind of rivals) {
      const contender =
        kind === 'static-file'
          ? await stage.staticLoad(stored, reading)
          : await stage.rivalLoad(kind, stored, table, reading);
      if (contender !== undefined) entries.push({ level, name: kind, contender });
    }
  }
  return entries;
}

/** Formats `10000` as `10,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}
