import type { PinotTableSchema } from '@quire/api';
import { columnDataTypes, type Result } from '@quire/results';

const arraySuffix = '_ARRAY';

/** The columns of a table as Apache Pinot describes them: times apart, arrays as columns of several values. */
export function pinotSchemaOf(tableName: string, schema: Result['schema']): PinotTableSchema {
  const columns = columnDataTypes(schema).map((dataType, index) => ({ name: schema.fields[index]?.name ?? '', dataType }));
  const times = columns.filter(({ dataType }) => dataType === 'TIMESTAMP');
  return {
    schemaName: tableName,
    dimensionFieldSpecs: columns
      .filter((column) => !times.includes(column))
      .map(({ name, dataType }) => {
        const isArray = dataType.endsWith(arraySuffix);
        return { name, dataType: isArray ? dataType.slice(0, -arraySuffix.length) : dataType, singleValueField: !isArray };
      }),
    metricFieldSpecs: [],
    dateTimeFieldSpecs: times.map(({ name }) => ({
      name,
      dataType: 'TIMESTAMP',
      format: 'TIMESTAMP',
      granularity: '1:MILLISECONDS',
    })),
  };
}
