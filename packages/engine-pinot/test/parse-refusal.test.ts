import { expect, test } from 'vitest';
import { parseRefusal } from '../src/tables/parse-refusal.ts';

const source =
  '\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 73]';

/** Messages of Apache Pinot 1.5.1. */
test.each([
  [
    'a type that does not exist',
    'Invalid schema config json string: {"schemaName":"bad","secret":"x. Reason"}. Reason: Cannot deserialize value of type ' +
      '`org.apache.pinot.spi.data.FieldSpec$DataType` from String "WHAT": not one of the values accepted for Enum class: [JSON, INT]' +
      `${source} (through reference chain: org.apache.pinot.spi.data.Schema["dimensionFieldSpecs"]->java.util.ArrayList[0]->org.apache.pinot.spi.data.DimensionFieldSpec["dataType"])`,
    '/dimensionFieldSpecs/0/dataType',
    'Cannot deserialize value of type `DataType` from String "WHAT": not one of the values accepted for Enum class: [JSON, INT]',
  ],
  [
    'a text for a list',
    'Cannot construct instance of `java.util.ArrayList` (although at least one Creator exists): no String-argument constructor' +
      `${source} (through reference chain: org.apache.pinot.spi.config.table.TableConfig["tableIndexConfig"]->org.apache.pinot.spi.config.table.IndexingConfig["sortedColumn"])`,
    '/tableIndexConfig/sortedColumn',
    'Cannot construct instance of `ArrayList` (although at least one Creator exists): no String-argument constructor',
  ],
  [
    'a rule of its own',
    'Invalid schema: bad. Reason: The column name "a b" should not contain blank space.',
    '',
    'Invalid schema: bad. Reason: The column name "a b" should not contain blank space.',
  ],
])(
  'the words about %s have a path where there is one, and nothing that was sent',
  (_about, words, path, message) => {
    expect(parseRefusal(words)).toEqual({ path, message });
  },
);
