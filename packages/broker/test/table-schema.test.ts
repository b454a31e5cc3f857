import { Field, Float64, Int32, List, Schema, TimestampMicrosecond, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { pinotSchemaOf } from '../src/routes/list-tables.ts';

test('times stand apart, and arrays are columns of several values', () => {
  const schema = new Schema([
    new Field('id', new Int32()),
    new Field('at', new TimestampMicrosecond()),
    new Field('tags', new List(new Field('item', new Utf8()))),
    new Field('score', new Float64()),
  ]);
  expect(pinotSchemaOf('events', schema)).toEqual({
    schemaName: 'events',
    dimensionFieldSpecs: [
      { name: 'id', dataType: 'INT', singleValueField: true },
      { name: 'tags', dataType: 'STRING', singleValueField: false },
      { name: 'score', dataType: 'DOUBLE', singleValueField: true },
    ],
    metricFieldSpecs: [],
    dateTimeFieldSpecs: [
      { name: 'at', dataType: 'TIMESTAMP', format: 'TIMESTAMP', granularity: '1:MILLISECONDS' },
    ],
  });
});
