import { hash } from 'node:crypto';
import type { SceneRow } from './preview-scene.ts';

interface Document {
  readonly a: { readonly b: readonly [number, number, { readonly c: string }] };
  readonly n: number;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * The transforms of the scene as one would write them by hand for this one table: the lower bound
 * of the work in JavaScript.
 */
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

/**
 * The same, with each value converted to the type of its column, as a table does: nulls become the
 * column's default, text has at most 512 characters and ends at a zero character, numbers have the
 * range of their type, -0 and NaN are normalized. Other values throw.
 */
export function transformAndCheckByHand(rows: readonly SceneRow[]): readonly SceneRow[] {
  return transformByHand(rows).map((row) => ({
    c0: long(row['c0']),
    c1: text(row['c1']),
    c2: double(row['c2']),
    c3: long(row['c3']),
    c4: text(row['c4']),
    c5: double(row['c5']),
    c6: long(row['c6']),
    c7: text(row['c7']),
    c8: double(row['c8']),
    c9: long(row['c9']),
    c10: text(row['c10']),
    c11: double(row['c11']),
    c12: long(row['c12']),
    c13: text(row['c13']),
    c14: double(row['c14']),
    c15: long(row['c15']),
    c16: text(row['c16']),
    c17: double(row['c17']),
    c18: long(row['c18']),
    c19: text(row['c19']),
    c20: double(row['c20']),
    c21: long(row['c21']),
    c22: text(row['c22']),
    c23: double(row['c23']),
    c24: long(row['c24']),
    c25: text(row['c25']),
    ts: long(row['ts']),
    created: text(row['created']),
    doc: text(row['doc']),
    name: text(row['name']),
    t1: long(row['t1']),
    t2: text(row['t2']),
    t3: long(row['t3']),
    t4: int(row['t4']),
    t5: long(row['t5']),
    t6: text(row['t6']),
    t7: long(row['t7']),
    t8: double(row['t8']),
    t9: text(row['t9']),
    t10: text(row['t10']),
    t11: text(row['t11']),
    t12: text(row['t12']),
    t13: text(row['t13']),
    t14: text(row['t14']),
    t15: long(row['t15']),
    t16: text(row['t16']),
    t17: text(row['t17']),
    t18: text(row['t18']),
    t19: long(row['t19']),
    t20: text(row['t20']),
  }));
}

type Given = string | number | null | undefined;

function text(value: Given): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'string') return String(value);
  const zero = value.indexOf('\0');
  return (zero < 0 ? value : value.slice(0, zero)).slice(0, 512);
}

function long(value: Given): number {
  if (value === null || value === undefined) return Number.MIN_SAFE_INTEGER;
  const number = Math.trunc(Number(value));
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is not a LONG`);
  return number === 0 ? 0 : number;
}

function int(value: Given): number {
  if (value === null || value === undefined) return -(2 ** 31);
  const number = Math.trunc(Number(value));
  if (number !== (number | 0)) throw new RangeError(`${value} is not an INT`);
  return number === 0 ? 0 : number;
}

function double(value: Given): number {
  if (value === null || value === undefined) return Number.NEGATIVE_INFINITY;
  const number = Number(value);
  return number === 0 || Number.isNaN(number) ? 0 : number;
}
