import { hash } from 'node:crypto';
import type { SceneRow } from './preview-scene.ts';

interface Document {
  readonly a: { readonly b: readonly [number, number, { readonly c: string }] };
  readonly n: number;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** The transforms of the scene as one would write them by hand for this one table: the least that the work can cost in JavaScript. */
export function transformByHand(rows: readonly SceneRow[]): readonly SceneRow[] {
  return rows.map((row) => {
    const ts = Number(row['ts']);
    const name = String(row['name']);
    const c3 = Number(row['c3']);
    const c4 = String(row['c4']);
    const document = JSON.parse(String(row['doc'])) as Document;
    const [, last = ''] = name.split(' ');
    const upper = name.toUpperCase();
    return {
      ...row,
      t1: Math.trunc(ts / dayMs),
      t2: new Date(ts).toISOString().slice(0, 19).replace('T', ' '),
      t3: Date.parse(`${String(row['created']).replace(' ', 'T')}Z`),
      t4: new Date(ts).getUTCFullYear(),
      t5: Math.floor(ts / dayMs) * dayMs,
      t6: document.a.b[2].c,
      t7: document.a.b[0],
      t8: document.n,
      t9: upper,
      t10: last,
      t11: `${upper}-${last}`,
      t12: /([A-Za-z]+) ([A-Za-z]+)/.exec(name)?.[2] ?? '',
      t13: hash('md5', name, 'hex'),
      t14: Buffer.from(name).toString('base64'),
      t15: Number(row['c0']) + c3 * 2,
      t16: c3 > 100 ? 'big' : 'small',
      t17: String(c3),
      t18: c4,
      t19: Math.trunc(ts / hourMs) * hourMs,
      t20: c4.toLowerCase().replaceAll('text', 't'),
    };
  });
}
