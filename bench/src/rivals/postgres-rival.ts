import pg from 'pg';
import type { Rival } from './rival.ts';
import { postgresDatabase } from './postgres-cluster.ts';

/**
 * A scrollable cursor of PostgreSQL, declared WITH HOLD: the answer stays on the server, and a page
 * is a MOVE and a FETCH.
 */
export async function openPostgresRival(socketDirectory: string): Promise<Rival> {
  const client = new pg.Client({ host: socketDirectory, ...postgresDatabase });
  await client.connect();
  await client.query('DECLARE pages SCROLL CURSOR WITH HOLD FOR SELECT * FROM t ORDER BY id');
  // Texts are left unchanged; only values of types that JSON has are converted.
  const types = { getTypeParser: (oid: number) => parserOf(oid) };
  return {
    async page({ offset, rowCount }) {
      await client.query(`MOVE ABSOLUTE ${offset} IN pages`);
      const { rows } = await client.query({
        text: `FETCH FORWARD ${rowCount} FROM pages`,
        rowMode: 'array',
        types,
      });
      return JSON.stringify(rows);
    },
    close: () => client.end(),
  };
}

const { BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8 } = pg.types.builtins;
const numbers = new Set([INT2, INT4, INT8, FLOAT4, FLOAT8].map(Number));

function parserOf(oid: number): (value: string) => unknown {
  if (oid === Number(BOOL)) return (value) => value === 't';
  return numbers.has(oid) ? Number : (value) => value;
}
