import { describe, expect, test } from 'vitest';
import {
  type Finding,
  type TableConfig,
  validateTableConfig,
  validateTableSchema,
} from '../../src/index.ts';
import { schemaRules, tableRules } from '../../src/validate/validate.ts';
import { schemaCases } from './schema-cases.ts';
import { dedup, realtime, type Scene, soundConfig, soundSchema, upsert } from './sound-table.ts';
import { tableCases } from './table-cases.ts';

test('every rule has a table that keeps it and one that breaks it, and no two rules have the same code', () => {
  const codes = [...schemaRules, ...tableRules].map(({ code }) => code);
  expect(Object.keys({ ...schemaCases, ...tableCases }).toSorted()).toEqual(codes.toSorted());
});

test('a sound schema and config break no rule', () => {
  expect(validateTableSchema(soundSchema)).toEqual([]);
  for (const more of [{}, realtime, upsert, dedup]) {
    expect(validateTableConfig({ ...soundConfig, ...more }, { schema: soundSchema })).toEqual([]);
  }
});

describe.each(schemaRules.map((rule) => [rule.code, rule] as const))('%s', (code, { severity }) => {
  const { keeps, breaks, at } = schemaCases[code] ?? {};

  test(`${code} finds nothing where it holds`, () => {
    expect(of(code, validateTableSchema(keeps ?? {}))).toEqual([]);
  });

  test(`${code} finds every place where it does not hold`, () => {
    const findings = of(code, validateTableSchema(breaks ?? {}));
    expect(findings.map(({ path }) => path)).toEqual(at);
    expectSentences(findings, severity);
  });
});

describe.each(tableRules.map((rule) => [rule.code, rule] as const))('%s', (code, { severity }) => {
  const { keeps, breaks, at } = tableCases[code] ?? {};

  test(`${code} finds nothing where it holds`, () => {
    expect(of(code, validate(keeps ?? {}))).toEqual([]);
  });

  test(`${code} finds every place where it does not hold`, () => {
    const findings = of(code, validate(breaks ?? {}));
    expect(findings.map(({ path }) => path)).toEqual(at);
    expectSentences(findings, severity);
  });
});

describe('validation as a whole', () => {
  const broken: TableConfig = {
    tableName: 'a b.c.d',
    tableType: 'REALTIME',
    isDimTable: true,
    quota: { storage: 'much' },
    tableIndexConfig: {
      invertedIndexColumns: Array.from({ length: 12 }, (_, place) => `x${place}`),
    },
  };

  test('validation as a whole finds everything at once, by path, elements by number, then by code', () => {
    const findings = validateTableConfig(broken, { schema: soundSchema });
    expect(findings.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/ingestionConfig/streamIngestionConfig/streamConfigMaps STREAM_MISSING',
      '/isDimTable DIM_TABLE',
      '/isDimTable DIM_TABLE_PUSH',
      '/quota/storage QUOTA_STORAGE',
      '/segmentsConfig/timeColumnName TIME_COLUMN_MISSING',
      ...Array.from(
        { length: 12 },
        (_, place) => `/tableIndexConfig/invertedIndexColumns/${place} INDEX_COLUMN_UNKNOWN`,
      ),
      '/tableName SCHEMA_NAME_MISMATCH',
      '/tableName TABLE_NAME_DOTS',
      '/tableName TABLE_NAME_SPACE',
    ]);
  });

  test('validation as a whole does not ask for a schema: what needs one then holds', () => {
    const codes = validateTableConfig(broken).map(({ code }) => code);
    expect(codes).not.toContain('INDEX_COLUMN_UNKNOWN');
    expect(codes).not.toContain('SCHEMA_NAME_MISMATCH');
    expect(codes).toContain('TABLE_NAME_DOTS');
  });

  test('validation as a whole refuses a megabyte of digits without trying each part of it', () => {
    const invalidRecordsThresholdPercent = `${'1'.repeat(2 ** 20)}x`;
    const task = {
      taskTypeConfigsMap: { UpsertCompactionTask: { invalidRecordsThresholdPercent } },
    };
    const findings = validateTableConfig({ ...soundConfig, task }, { schema: soundSchema });
    expect(findings.map(({ path }) => path)).toContain(
      '/task/taskTypeConfigsMap/UpsertCompactionTask/invalidRecordsThresholdPercent',
    );
  });

  test('validation as a whole finds task types that have the name of an inherited member of objects', () => {
    for (const type of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const task = { taskTypeConfigsMap: Object.fromEntries([[type, { bucketTimePeriod: '1d' }]]) };
      const findings = validateTableConfig({ ...soundConfig, task }, { schema: soundSchema });
      expect(findings.map(({ path, code }) => [path, code])).toEqual([
        [`/task/taskTypeConfigsMap/${type}`, 'TASK_TYPE'],
      ]);
    }
  });

  test('validation as a whole reads the short form of a disabled index, and text for true, but looks its column up', () => {
    const codesOf = (bloomFilterConfigs: object, jsonIndexConfigs: object) =>
      validateTableConfig(
        { ...soundConfig, tableIndexConfig: { bloomFilterConfigs, jsonIndexConfigs } as object },
        { schema: soundSchema },
      ).map(({ path, code }) => `${path.split('/').at(-1)} ${code}`);
    expect(codesOf({ isGone: { disabled: 'true' } }, { price: true })).toEqual([]);
    expect(codesOf({ isGone: { disabled: 'false' } }, { price: false })).toEqual([
      'isGone BLOOM_FILTER_TYPE',
      'price JSON_INDEX_TYPE',
    ]);
    expect(codesOf({ gone: { disabled: true } }, { gone: null })).toEqual([
      'gone INDEX_COLUMN_UNKNOWN',
      'gone INDEX_COLUMN_UNKNOWN',
    ]);
  });

  test('validation as a whole checks the properties of a VECTOR index', () => {
    const codesOf = (more: object) => {
      const properties = { vectorIndexType: 'HNSW', vectorDimension: '4', ...more };
      const fieldConfigList = [{ name: 'v', indexTypes: ['VECTOR' as const], properties }];
      const schema = {
        ...soundSchema,
        metricFieldSpecs: [],
        complexFieldSpecs: [],
        dimensionFieldSpecs: [
          ...(soundSchema.dimensionFieldSpecs ?? []),
          { name: 'v', dataType: 'FLOAT' as const, singleValueField: false },
        ],
      };
      return validateTableConfig({ ...soundConfig, fieldConfigList }, { schema }).map(
        ({ code }) => code,
      );
    };
    expect(codesOf({ version: 1, vectorDistanceFunction: 'EUCLIDEAN' })).toEqual([]);
    for (const wrong of [
      { version: '1.5' },
      { vectorDistanceFunction: 'cosine' },
      { vectorDimension: '2147483648' },
    ]) {
      expect(codesOf(wrong)).toEqual(['VECTOR_OPTIONS']);
    }
  });

  test('validation as a whole reads the older name of a comparison column', () => {
    const codesOf = (upsertConfig: object) => {
      const config = { ...soundConfig, ...upsert, upsertConfig };
      return validateTableConfig(config, { schema: soundSchema }).map(
        ({ path, code }) => `${path} ${code}`,
      );
    };
    expect(codesOf({ comparisonColumn: 'price', metadataTTL: 5, snapshot: 'ENABLE' })).toEqual([]);
    expect(codesOf({ comparisonColumn: 'none' })).toEqual([
      '/upsertConfig/comparisonColumn UPSERT_COMPARISON_COLUMN',
    ]);
    expect(codesOf({ comparisonColumn: 'day', metadataTTL: 5, snapshot: 'ENABLE' })).toEqual([
      '/upsertConfig/metadataTTL UPSERT_TTL',
    ]);
    const partialUpsertStrategies = { price: 'INCREMENT' };
    expect(
      codesOf({ mode: 'PARTIAL', comparisonColumn: 'price', partialUpsertStrategies }),
    ).toEqual(['/upsertConfig/partialUpsertStrategies/price PARTIAL_UPSERT_STRATEGY']);
  });

  test('validation as a whole reads defaults of numbers without white space, and of maps and lists also as text', () => {
    const codeOf = (dataType: string, defaultNullValue: unknown) => {
      const list = dataType === 'MAP' || dataType === 'LIST' ? 'complex' : 'dimension';
      const schema = {
        schemaName: 'a',
        [`${list}FieldSpecs`]: [{ name: 'a', dataType, defaultNullValue }],
      };
      return validateTableSchema(schema).map(({ code }) => code)[0];
    };
    for (const type of ['INT', 'LONG', 'BIG_DECIMAL', 'TIMESTAMP']) {
      expect([type, codeOf(type, '5'), codeOf(type, ' 5')]).toEqual([
        type,
        undefined,
        'DEFAULT_VALUE_TYPE',
      ]);
    }
    expect(codeOf('DOUBLE', ' 5 ')).toBeUndefined();
    for (const right of ['{}', '{"a":1}', {}]) {
      expect(codeOf('MAP', right)).toBeUndefined();
      expect(codeOf('LIST', right)).toBe('DEFAULT_VALUE_TYPE');
    }
    for (const right of ['[]', [1]]) {
      expect(codeOf('LIST', right)).toBeUndefined();
      expect(codeOf('MAP', right)).toBe('DEFAULT_VALUE_TYPE');
    }
    for (const wrong of ['null', '"{}"', '{', 5]) {
      expect(codeOf('MAP', wrong)).toBe('DEFAULT_VALUE_TYPE');
    }
  });

  test('validation as a whole takes empty documents without throwing', () => {
    expect(validateTableConfig({}, { schema: {} }).map(({ code }) => code)).toEqual([
      'TABLE_NAME_MISSING',
    ]);
    expect(validateTableSchema({}).map(({ code }) => code)).toEqual([
      'SCHEMA_EMPTY',
      'SCHEMA_NAME_MISSING',
    ]);
  });
});

function validate({ config, schema, context }: Scene): readonly Finding[] {
  const merged = {
    ...soundConfig,
    ...config,
    segmentsConfig: { ...soundConfig.segmentsConfig, ...config?.segmentsConfig },
  };
  return validateTableConfig(merged, { schema: schema ?? soundSchema, ...context });
}

function of(code: string, findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.code === code);
}

function expectSentences(findings: readonly Finding[], severity: Finding['severity']): void {
  for (const finding of findings) {
    expect(finding.severity).toBe(severity);
    expect(finding.message).toMatch(/^[A-Z‘$a-z0-9].*[.]$/s);
  }
}
