import {
  Binary,
  Bool,
  DenseUnion,
  Field,
  Int32,
  Int64,
  List,
  Map_,
  Schema,
  Struct,
  Uint32,
  Uint8,
  Utf8,
  type DataType,
} from 'apache-arrow';

/*
 * The schemas of metadata, with the names, types and nullability of FlightSql.proto: clients
 * compare them exactly.
 */

const utf8 = new Utf8();
const int32 = new Int32();
const bool = new Bool();

const required = (name: string, type: DataType): Field => new Field(name, type, false);
const nullable = (name: string, type: DataType): Field => new Field(name, type, true);

const catalogAndSchema = [nullable('catalog_name', utf8), nullable('db_schema_name', utf8)];
const tables = [...catalogAndSchema, required('table_name', utf8), required('table_type', utf8)];

const keys = new Schema([
  nullable('pk_catalog_name', utf8),
  nullable('pk_db_schema_name', utf8),
  required('pk_table_name', utf8),
  required('pk_column_name', utf8),
  nullable('fk_catalog_name', utf8),
  nullable('fk_db_schema_name', utf8),
  required('fk_table_name', utf8),
  required('fk_column_name', utf8),
  required('key_sequence', int32),
  nullable('fk_key_name', utf8),
  nullable('pk_key_name', utf8),
  required('update_rule', new Uint8()),
  required('delete_rule', new Uint8()),
]);

/** The kinds of values of an entry of `CommandGetSqlInfo`, in the order of the union. */
export const sqlInfoKinds = ['text', 'bool', 'int64', 'int32', 'texts', 'conversions'] as const;

const sqlInfoUnion = new DenseUnion(
  [0, 1, 2, 3, 4, 5],
  [
    required('string_value', utf8),
    required('bool_value', bool),
    required('bigint_value', new Int64()),
    required('int32_bitmask', int32),
    required('string_list', new List(nullable('item', utf8))),
    required(
      'int32_to_int32_list_map',
      new Map_(
        required(
          'entries',
          new Struct([
            required('key', int32),
            nullable('value', new List(nullable('item', int32))),
          ]),
        ) as never,
      ),
    ),
  ],
);

/** The schema of the result of each metadata command. */
export const metadataSchemas = {
  CommandGetCatalogs: new Schema([required('catalog_name', utf8)]),
  CommandGetDbSchemas: new Schema([
    nullable('catalog_name', utf8),
    required('db_schema_name', utf8),
  ]),
  CommandGetTables: new Schema(tables),
  CommandGetTableTypes: new Schema([required('table_type', utf8)]),
  CommandGetPrimaryKeys: new Schema([
    ...catalogAndSchema,
    required('table_name', utf8),
    required('column_name', utf8),
    required('key_sequence', int32),
    nullable('key_name', utf8),
  ]),
  CommandGetExportedKeys: keys,
  CommandGetImportedKeys: keys,
  CommandGetCrossReference: keys,
  CommandGetXdbcTypeInfo: new Schema([
    required('type_name', utf8),
    required('data_type', int32),
    nullable('column_size', int32),
    nullable('literal_prefix', utf8),
    nullable('literal_suffix', utf8),
    nullable('create_params', new List(required('item', utf8))),
    required('nullable', int32),
    required('case_sensitive', bool),
    required('searchable', int32),
    nullable('unsigned_attribute', bool),
    required('fixed_prec_scale', bool),
    nullable('auto_increment', bool),
    nullable('local_type_name', utf8),
    nullable('minimum_scale', int32),
    nullable('maximum_scale', int32),
    required('sql_data_type', int32),
    nullable('datetime_subcode', int32),
    nullable('num_prec_radix', int32),
    nullable('interval_precision', int32),
  ]),
  CommandGetSqlInfo: new Schema([
    required('info_name', new Uint32()),
    required('value', sqlInfoUnion),
  ]),
} as const;

export type MetadataCommandName = keyof typeof metadataSchemas;

/** `CommandGetTables` with the schema of each table. */
export const tablesWithSchema = new Schema([...tables, required('table_schema', new Binary())]);
