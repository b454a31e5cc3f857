/**
 * A table with a column of every type that Apache Pinot answers with. Lists of BYTES can be stored,
 * but not selected.
 */
export const everythingSchema = {
  schemaName: 'everything',
  dimensionFieldSpecs: [
    ...['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BOOLEAN', 'STRING', 'TIMESTAMP'].flatMap((dataType) => [
      { name: `one_${dataType.toLowerCase()}`, dataType },
      { name: `list_${dataType.toLowerCase()}`, dataType, singleValueField: false },
    ]),
    ...['JSON', 'BYTES', 'BIG_DECIMAL'].map((dataType) => ({
      name: `one_${dataType.toLowerCase()}`,
      dataType,
    })),
    { name: 'row_number', dataType: 'INT' },
  ],
  complexFieldSpecs: [
    {
      name: 'one_map',
      dataType: 'MAP',
      fieldType: 'COMPLEX',
      childFieldSpecs: {
        key: { name: 'key', dataType: 'STRING', fieldType: 'DIMENSION' },
        value: { name: 'value', dataType: 'LONG', fieldType: 'DIMENSION' },
      },
    },
  ],
};

export const everythingConfig = {
  tableIndexConfig: { nullHandlingEnabled: true, noDictionaryColumns: ['one_map'] },
};

/**
 * Values at the ends of their types, in the order of `row_number`: JSON, because JavaScript cannot
 * represent some of the numbers.
 */
export const everythingRows: readonly string[] = [
  `{"row_number": 1, "one_int": 2147483647, "one_long": 9223372036854775807, "one_float": 1.5, "one_double": 0.1, "one_boolean": true,
    "one_string": "hé \\"q\\" \\\\ \\n 😀", "one_timestamp": "2026-01-01 00:00:00.123", "one_json": {"a": [1, {"b": null}]}, "one_bytes": "00ff",
    "one_big_decimal": "12345678901234567890.123456789", "one_map": {"key": 9007199254740993, "other": 2},
    "list_int": [1, -2147483648], "list_long": [9223372036854775807, -9223372036854775808], "list_float": [1.5, -2.5],
    "list_double": [0.1, 1e300], "list_boolean": [true, false], "list_string": ["a", "\\"b\\""],
    "list_timestamp": ["1970-01-01 00:00:00.0", "1969-12-31 23:59:59.999"]}`.replaceAll('\n', ''),
  `{"row_number": 2, "one_float": "Infinity", "one_double": "-Infinity", "one_big_decimal": "1E+30", "list_int": [3], "one_long": -1}`,
  `{"row_number": 3, "one_long": -9007199254740993, "one_string": "", "one_big_decimal": "-0.5"}`,
];
