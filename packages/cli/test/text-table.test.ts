import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainStyles } from '../src/styles.ts';
import { planColumns } from '../src/table/plan-columns.ts';
import { layOutTable, planTable, renderTable } from '../src/table/text-table.ts';
import { textWidth } from '../src/table/text-width.ts';

const columns = [
  { name: 'city', dataType: 'STRING' },
  { name: 'flights', dataType: 'LONG' },
  { name: 'mean', dataType: 'DOUBLE' },
  { name: 'tags', dataType: 'STRING_ARRAY' },
];
const rows = [
  ['東京', 9223372036854775807n, 0.5, ['a', 'b']],
  ['a "quoted"\nname', null, Number.NaN, []],
];

function lay(widthMax: number, firstColumn = 0): string[] {
  const { header, lines } = layOutTable(columns, rows, {
    widthMax,
    styles: plainStyles,
    firstColumn,
  });
  return [...header, ...lines];
}

describe('layOutTable', () => {
  it('layOutTable aligns columns, numbers to the right, with every digit, and shows line breaks as escapes', () => {
    expect(lay(100)).toEqual([
      'city                          flights  mean  tags',
      '────────────────  ───────────────────  ────  ─────────',
      '東京              9223372036854775807   0.5  ["a","b"]',
      'a "quoted"\\nname                 NULL   NaN  []',
    ]);
  });

  it('layOutTable cuts texts, not numbers, to fit the width', () => {
    expect(lay(50)).toEqual([
      'city                      flights  mean  tags',
      '────────────  ───────────────────  ────  ─────────',
      '東京          9223372036854775807   0.5  ["a","b"]',
      'a "quoted"\\…                 NULL   NaN  []',
    ]);
  });

  it('layOutTable leaves out columns that have no room, and starts with another column when asked', () => {
    expect(lay(36)[0]).toBe(`city${' '.repeat(25)}flights`);
    expect(lay(40, 1)[0]).toBe('            flights  mean  tags');
    expect(lay(5, 1)).toEqual(['flig…', '─────', '9223…', ' NULL']);
  });

  it('a plan for lines of any width cuts texts of other rows, but no numbers, times or ids', () => {
    const planned = [
      { name: 'n', dataType: 'LONG' },
      { name: 'at', dataType: 'TIMESTAMP' },
      { name: 'id', dataType: 'STRING', isWhole: true },
      { name: 'text', dataType: 'STRING' },
    ];
    const plan = planTable(planned, [[9, '2024-01-01 00:00:00.0', 'a', 'abcd']], {
      widthMax: Number.POSITIVE_INFINITY,
    });
    const others = [
      [-123456, '2024-01-01 00:00:00.123456', 'bc', 'abcde'],
      [1, null, 'd', 'e'],
    ];
    expect(renderTable(planned, others, plan, plainStyles).lines).toEqual([
      '-123456  2024-01-01 00:00:00.123456  bc  abc…',
      '1  NULL                   d   e',
    ]);
  });

  it('layOutTable marks NULLs, and not the text NULL', () => {
    const styles = { ...plainStyles, faint: (text: string) => `<${text}>` };
    const table = layOutTable([{ name: 'x', dataType: 'STRING' }], [[null], ['NULL']], {
      widthMax: 80,
      styles,
    });
    expect(table.lines).toEqual(['<NULL>', 'NULL']);
  });

  it('layOutTable lets nothing through that would act on the terminal', () => {
    const hostile = '\u001b[31mred\u0007\u009b\u202e\u2028\t\r\n';
    const table = layOutTable([{ name: hostile, dataType: 'STRING' }], [[hostile], [[hostile]]], {
      widthMax: 200,
      styles: plainStyles,
    });
    const shown = '\\x1b[31mred\\x07\\x9b\\u202e\\u2028\\t\\r\\n';
    expect([table.header[0], table.lines[0]]).toEqual([shown, shown]);
    expect(table.lines[1]).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
  });

  it('layOutTable neither measures nor shows a huge cell to its end', () => {
    const table = layOutTable([{ name: 'x', dataType: 'STRING' }], [['x'.repeat(5_000_000)]], {
      widthMax: Number.POSITIVE_INFINITY,
      styles: plainStyles,
    });
    expect(table.lines).toEqual([`${'x'.repeat(399)}…`]);
  });
});

describe('planColumns', () => {
  const wish = fc.record({ width: fc.integer({ min: 1, max: 60 }), mayShrink: fc.boolean() });

  it('planColumns never exceeds the width, whatever the columns', () => {
    fc.assert(
      fc.property(
        fc.array(wish, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 150 }),
        (wishes, widthMax) => {
          const plan = planColumns(wishes, widthMax, 2);
          const width = plan.reduce((sum, column) => sum + column.width + 2, -2);
          expect(plan.length).toBeGreaterThan(0);
          expect(width).toBeLessThanOrEqual(widthMax);
          expect(
            plan.every(
              (column) => column.width >= 1 && column.width <= (wishes[column.index]?.width ?? 0),
            ),
          ).toBe(true);
        },
      ),
    );
  });

  it('planColumns gives every column its wish when there is room', () => {
    fc.assert(
      fc.property(fc.array(wish, { minLength: 1, maxLength: 8 }), (wishes) => {
        const plan = planColumns(wishes, 1000, 2);
        expect(plan.map((column) => column.width)).toEqual(wishes.map((one) => one.width));
      }),
    );
  });

  it('planColumns lets the widest give way first', () => {
    const wishes = [30, 12, 50].map((width) => ({ width, mayShrink: true }));
    expect(planColumns(wishes, 76, 2).map((column) => column.width)).toEqual([30, 12, 30]);
  });
});

it('a laid out line is as wide as its columns', () => {
  expect(textWidth(lay(50)[1] ?? '')).toBe(50);
});
