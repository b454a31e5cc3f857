import { describe, expect, test } from 'vitest';
import { parseTableConfig, parseTableSchema } from '../../src/index.ts';
import { completeTableConfig } from '../../src/config/table-config.ts';

describe('reading a table config', () => {
  test('reading a table config finds every member of a wrong type, in the order of their paths', () => {
    const parsed = parseTableConfig({
      tenants: 'DefaultTenant',
      isDimTable: 'perhaps',
      query: { timeoutMs: 'soon' },
      tableIndexConfig: { sortedColumn: 'day', invertedIndexColumns: ['a', { b: 1 }] },
      tierConfigs: [{ name: 'hot' }, 7],
    });
    expect(parsed.findings).toEqual([
      {
        path: '/isDimTable',
        code: 'WRONG_TYPE',
        severity: 'error',
        message: 'Expected true or false, found the text ‘perhaps’.',
      },
      {
        path: '/query/timeoutMs',
        code: 'WRONG_TYPE',
        severity: 'error',
        message: 'Expected an integer, found the text ‘soon’.',
      },
      {
        path: '/tableIndexConfig/invertedIndexColumns/1',
        code: 'WRONG_TYPE',
        severity: 'error',
        message: 'Expected text, found an object.',
      },
      {
        path: '/tableIndexConfig/sortedColumn',
        code: 'WRONG_TYPE',
        severity: 'error',
        message: 'Expected a list, found the text ‘day’.',
      },
      {
        path: '/tenants',
        code: 'WRONG_TYPE',
        severity: 'error',
        message: 'Expected an object, found the text ‘DefaultTenant’.',
      },
      {
        path: '/tierConfigs/1',
        code: 'WRONG_TYPE',
        severity: 'error',
        message: 'Expected an object, found the number 7.',
      },
    ]);
    expect(parsed.config).toEqual({
      query: {},
      tableIndexConfig: { invertedIndexColumns: ['a'] },
      tierConfigs: [{ name: 'hot' }],
    });
  });

  test('reading a table config keeps unknown members, and lists them by their pointers', () => {
    const config = {
      tableName: 't',
      'a/b~c': 1,
      tenants: { broker: 'x', proxy: 'y' },
      fieldConfigList: [{ name: 'a', note: {} }],
    };
    expect(parseTableConfig(config)).toEqual({
      config,
      findings: [],
      unrecognizedProperties: {
        '/a~1b~0c': 1,
        '/tenants/proxy': 'y',
        '/fieldConfigList/0/note': {},
      },
    });
    expect(completeTableConfig(config)).toMatchObject({
      'a/b~c': 1,
      tenants: { proxy: 'y', server: 'DefaultTenant' },
    });
  });

  test('reading a table config converts what loses nothing, with a warning', () => {
    const { config, findings } = parseTableConfig({
      isDimTable: 'TRUE',
      tableType: 'realtime',
      segmentsConfig: { replication: 3 },
      query: { timeoutMs: '10000' },
    });
    expect(config).toEqual({
      isDimTable: true,
      tableType: 'REALTIME',
      segmentsConfig: { replication: '3' },
      query: { timeoutMs: 10_000 },
    });
    expect(findings.map(({ path, code, severity }) => [path, code, severity])).toEqual([
      ['/isDimTable', 'TYPE_CONVERTED', 'warning'],
      ['/query/timeoutMs', 'TYPE_CONVERTED', 'warning'],
      ['/segmentsConfig/replication', 'TYPE_CONVERTED', 'warning'],
      ['/tableType', 'TYPE_CONVERTED', 'warning'],
    ]);
  });

  test('reading a table config converts texts as Apache Pinot does: without white space, and to integers without a fraction', () => {
    const { config, findings } = parseTableConfig({
      isDimTable: ' true ',
      query: { timeoutMs: ' +5 ', maxQueryResponseSizeBytes: '5.0', disableGroovy: 'yes' },
      tableIndexConfig: {
        noDictionarySizeRatioThreshold: ' 5e-1',
        noDictionaryCardinalityRatioThreshold: '0x1',
      },
    });
    expect(config).toEqual({
      isDimTable: true,
      query: { timeoutMs: 5 },
      tableIndexConfig: { noDictionarySizeRatioThreshold: 0.5 },
    });
    expect(findings.flatMap(({ path, severity }) => (severity === 'error' ? [path] : []))).toEqual([
      '/query/disableGroovy',
      '/query/maxQueryResponseSizeBytes',
      '/tableIndexConfig/noDictionaryCardinalityRatioThreshold',
    ]);
  });

  test('reading a table config names the words that a member may have, and the nearest', () => {
    expect(parseTableConfig({ upsertConfig: { mode: 'FUL' } }).findings).toEqual([
      {
        path: '/upsertConfig/mode',
        code: 'UNKNOWN_VALUE',
        severity: 'error',
        message: '‘FUL’ is not one of FULL, PARTIAL, NONE. The nearest is FULL.',
      },
    ]);
  });

  test('reading a table config takes null for left out, and a section of only nulls as well', () => {
    const parsed = parseTableConfig({
      tableName: null,
      ingestionConfig: { complexTypeConfig: { delimiter: null, fieldsToUnnest: null } },
    });
    expect(parsed).toEqual({ config: {}, findings: [], unrecognizedProperties: {} });
  });

  test.each([[null], [undefined], [7], ['text'], [[]], [true]])(
    'reading a table config answers %j with a finding and an empty config',
    (value) => {
      const { config, findings } = parseTableConfig(value);
      expect(config).toEqual({});
      expect(findings.map(({ path, code }) => [path, code])).toEqual([['', 'WRONG_TYPE']]);
    },
  );

  test('reading a table config lists no more than 1000 findings, and says so', () => {
    const invertedIndexColumns = Array.from({ length: 5000 }, () => null);
    const { findings } = parseTableConfig({ tableIndexConfig: { invertedIndexColumns } });
    expect(findings).toHaveLength(1001);
    expect(findings[0]).toMatchObject({ path: '', code: 'TOO_MANY_FINDINGS' });
  });

  test('reading a table config lets no member reach a prototype', () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__": {"isDimTable": true}, "constructor": 1, "tenants": {"__proto__": {"broker": "x"}}}',
    );
    const { config, unrecognizedProperties } = parseTableConfig(hostile);
    expect(config.isDimTable).toBeUndefined();
    expect(config.tenants?.broker).toBeUndefined();
    expect(Object.keys(unrecognizedProperties)).toEqual([
      '/__proto__',
      '/constructor',
      '/tenants/__proto__',
    ]);
    expect(completeTableConfig(config)).toMatchObject({
      isDimTable: false,
      tenants: { broker: 'DefaultTenant' },
    });
  });
});

test('a schema is read the same way', () => {
  const parsed = parseTableSchema({
    schemaName: 's',
    dimensionFieldSpecs: [
      { name: 'a', dataType: 'TEXT' },
      { name: 'b', dataType: 'INT' },
    ],
    x: 1,
  });
  expect(parsed.schema).toEqual({
    schemaName: 's',
    dimensionFieldSpecs: [{ name: 'a' }, { name: 'b', dataType: 'INT' }],
    x: 1,
  });
  expect(parsed.findings.map(({ path, code }) => [path, code])).toEqual([
    ['/dimensionFieldSpecs/0/dataType', 'UNKNOWN_VALUE'],
  ]);
  expect(parsed.unrecognizedProperties).toEqual({ '/x': 1 });
});
