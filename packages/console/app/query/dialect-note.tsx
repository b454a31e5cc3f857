import type { ReactNode } from 'react';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';

const names: Readonly<Record<string, string>> = { duckdb: 'DuckDB', pinot: 'Apache Pinot' };

/** The dialect of queries that do not name another by `SET dialect`. */
export function DialectNote(): ReactNode {
  const { call } = useSession();
  const { value } = useResource('dialect', async (signal) => {
    const { dialect } = (await call('/tables', { signal })) as { readonly dialect?: string };
    return dialect;
  });
  return value === undefined ? null : (
    <span className="quiet" title={`SET dialect = '${value}'; is the default`}>
      SQL of {names[value] ?? value}
    </span>
  );
}
