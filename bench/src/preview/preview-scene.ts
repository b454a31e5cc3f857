import type { PipelineConfig, PipelineSchema } from '@quire/tables';

/** A transform in each of three languages, with identical results. */
export interface SceneTransform {
  readonly column: string;
  readonly type: string;
  /** The engine's own expression, as in a table config. */
  readonly expression: string;
  /** The SQL of DuckDB. */
  readonly sql: string;
}

const sourceColumnCount = 26;

/** Twenty transforms of the kinds that are most frequent in configs. */
export const transforms: readonly SceneTransform[] = [
  { column: 't1', type: 'LONG', expression: 'toEpochDays(ts)', sql: 'ts // 86400000' },
  {
    column: 't2',
    type: 'STRING',
    expression: "toDateTime(ts, 'yyyy-MM-dd HH:mm:ss')",
    sql: "strftime(epoch_ms(ts), '%Y-%m-%d %H:%M:%S')",
  },
  {
    column: 't3',
    type: 'LONG',
    expression: "fromDateTime(created, 'yyyy-MM-dd HH:mm:ss')",
    sql: "epoch_ms(strptime(created, '%Y-%m-%d %H:%M:%S'))",
  },
  { column: 't4', type: 'INT', expression: 'year(ts)', sql: 'year(epoch_ms(ts))' },
  {
    column: 't5',
    type: 'LONG',
    expression: "dateTrunc('DAY', ts)",
    sql: "epoch_ms(date_trunc('day', epoch_ms(ts))::TIMESTAMP)",
  },
  {
    column: 't6',
    type: 'STRING',
    expression: "jsonPathString(doc, '$.a.b[2].c')",
    sql: "doc ->> '$.a.b[2].c'",
  },
  {
    column: 't7',
    type: 'LONG',
    expression: "jsonPathLong(doc, '$.a.b[0]')",
    sql: "CAST(doc ->> '$.a.b[0]' AS BIGINT)",
  },
  {
    column: 't8',
    type: 'DOUBLE',
    expression: "jsonPathDouble(doc, '$.n')",
    sql: "CAST(doc ->> '$.n' AS DOUBLE)",
  },
  { column: 't9', type: 'STRING', expression: 'upper(name)', sql: 'upper(name)' },
  {
    column: 't10',
    type: 'STRING',
    expression: "splitPart(name, ' ', 1)",
    sql: "split_part(name, ' ', 2)",
  },
  {
    column: 't11',
    type: 'STRING',
    expression: "concat(t9, t10, '-')",
    sql: "upper(name) || '-' || split_part(name, ' ', 2)",
  },
  {
    column: 't12',
    type: 'STRING',
    expression: "regexpExtract(name, '([A-Za-z]+) ([A-Za-z]+)', 2)",
    sql: "regexp_extract(name, '([A-Za-z]+) ([A-Za-z]+)', 2)",
  },
  { column: 't13', type: 'STRING', expression: 'md5(toUtf8(name))', sql: 'md5(name)' },
  {
    column: 't14',
    type: 'STRING',
    expression: 'toBase64(toUtf8(name))',
    sql: 'base64(encode(name))',
  },
  { column: 't15', type: 'LONG', expression: 'c0 + c3 * 2', sql: 'c0 + c3 * 2' },
  {
    column: 't16',
    type: 'STRING',
    expression: "CASE WHEN c3 > 100 THEN 'big' ELSE 'small' END",
    sql: "CASE WHEN c3 > 100 THEN 'big' ELSE 'small' END",
  },
  { column: 't17', type: 'STRING', expression: 'CAST(c3 AS STRING)', sql: 'CAST(c3 AS VARCHAR)' },
  { column: 't18', type: 'STRING', expression: 'coalesce(absent, c4)', sql: 'coalesce(NULL, c4)' },
  {
    column: 't19',
    type: 'LONG',
    expression: 'round(ts, 3600000)',
    sql: '(ts // 3600000) * 3600000',
  },
  {
    column: 't20',
    type: 'STRING',
    expression: "replace(lower(c4), 'text', 't')",
    sql: "replace(lower(c4), 'text', 't')",
  },
];

const typesByTurn = ['LONG', 'STRING', 'DOUBLE'] as const;

/** The columns of the source: 26 of three types alternately, and four that the transforms read. */
export const sourceColumns: readonly { readonly name: string; readonly type: string }[] = [
  ...Array.from({ length: sourceColumnCount }, (_, index) => ({
    name: `c${index}`,
    type: typesByTurn[index % 3] ?? 'STRING',
  })),
  { name: 'ts', type: 'LONG' },
  { name: 'created', type: 'STRING' },
  { name: 'doc', type: 'STRING' },
  { name: 'name', type: 'STRING' },
];

/** A row of the scene. */
export type SceneRow = Readonly<Record<string, string | number>>;

/** Returns rows as the parsed JSON of a request, identical at every run. */
export function sceneRows(rowCount: number): readonly SceneRow[] {
  // Objects from JSON.parse are read and copied several times as fast as those built member by
  // member.
  return JSON.parse(JSON.stringify(grownRows(rowCount))) as readonly SceneRow[];
}

function grownRows(rowCount: number): readonly SceneRow[] {
  return Array.from({ length: rowCount }, (_, index) => {
    const row: Record<string, string | number> = {};
    for (const [column, { name, type }] of sourceColumns.slice(0, sourceColumnCount).entries()) {
      row[name] =
        type === 'LONG'
          ? index * column
          : type === 'STRING'
            ? `Text ${index} ${column}`
            : index / (column + 1);
    }
    const ts = 1_700_000_000_000 + index * 61_000;
    row['ts'] = ts;
    row['created'] = new Date(ts + 7_700_000).toISOString().slice(0, 19).replace('T', ' ');
    row['doc'] = JSON.stringify({
      a: { b: [index, 2, { c: `x${index}` }] },
      s: 'y',
      n: index * 1.5,
    });
    row['name'] = `Ada Lovelace ${index}`;
    return row;
  });
}

/** The table config and the schema: 50 columns, 20 transforms, and a filter that drops nothing. */
export const sceneConfig: PipelineConfig = {
  ingestionConfig: {
    transformConfigs: transforms.map(({ column, expression }) => ({
      columnName: column,
      transformFunction: expression,
    })),
    filterConfig: { filterFunction: "strcmp(name, 'no one') = 0" },
  },
};

export const sceneSchema: PipelineSchema = {
  dimensionFieldSpecs: [
    ...sourceColumns.map(({ name, type }) => ({ name, dataType: type })),
    ...transforms.map(({ column, type }) => ({ name: column, dataType: type })),
  ],
};
