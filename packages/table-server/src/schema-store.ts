import { QuireError } from '@quire/core';
import type { Finding, TableSchemaDocument } from '@quire/core/table-engine';
import { columnsOfSchema, parseTableSchema } from '@quire/tables';
import { checkSchema } from './check-table.ts';
import type { Records } from './directory/records.ts';
import type { SchemaRecord, TableDirectory } from './directory/table-directory.ts';

/**
 * The schemas in the directory of a table server. The caller determines which tables use a schema.
 */
export class SchemaStore {
  readonly #directory: TableDirectory;
  readonly #records: Records;

  constructor(directory: TableDirectory, records: Records) {
    this.#directory = directory;
    this.#records = records;
  }

  list(): Promise<readonly string[]> {
    return this.#directory.listSchemas();
  }

  /** @throws SCHEMA_NOT_FOUND, RECORD_DAMAGED */
  async read(schemaName: string): Promise<TableSchemaDocument> {
    const record = isName(schemaName)
      ? await this.#records.read<SchemaRecord>(this.#directory.schema(schemaName))
      : undefined;
    if (record === undefined) throw schemaNotFound(schemaName);
    return record.schema;
  }

  /** @throws SCHEMA_EXISTS, TABLE_INVALID */
  async create(schema: TableSchemaDocument): Promise<void> {
    checkSchema(schema);
    if (await this.#records.create(this.#directory.schema(schema.schemaName), { schema })) return;
    throw new QuireError('SCHEMA_EXISTS', `Schema ${schema.schemaName} exists already.`);
  }

  /**
   * @throws SCHEMA_NOT_FOUND; TABLE_INVALID, if `isUsed` also for a column that would be removed or
   *   changed
   */
  async update(schema: TableSchemaDocument, isUsed: boolean): Promise<void> {
    const before = await this.read(schema.schemaName);
    checkSchema(schema);
    const findings = isUsed ? lostColumns(before, schema) : [];
    if (findings.length > 0) {
      const message = `Schema ${schema.schemaName} is used by a table: ${findings.map((finding) => finding.message).join(' ')}`;
      throw new QuireError('TABLE_INVALID', message, { findings });
    }
    await this.#records.replace(this.#directory.schema(schema.schemaName), { schema });
  }

  /** @throws SCHEMA_NOT_FOUND */
  async delete(schemaName: string): Promise<void> {
    const isDefined =
      isName(schemaName) && (await this.#records.remove(this.#directory.schema(schemaName)));
    if (!isDefined) throw schemaNotFound(schemaName);
  }
}

/** Reports whether a name is valid, so that a caller cannot pass a path. */
export function isName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,140}$/.test(name);
}

function schemaNotFound(schemaName: string): QuireError {
  return new QuireError('SCHEMA_NOT_FOUND', `Schema ${schemaName.slice(0, 200)} does not exist.`);
}

/** Returns a finding for each column that existing rows would lose. */
function lostColumns(before: TableSchemaDocument, after: TableSchemaDocument): readonly Finding[] {
  const columnsOf = (schema: TableSchemaDocument) =>
    columnsOfSchema(parseTableSchema(schema).schema).columns;
  const left = new Map(columnsOf(after).map((column) => [column.name, column]));
  return columnsOf(before).flatMap((column): readonly Finding[] => {
    const now = left.get(column.name);
    const isSame = now?.type === column.type && now?.isMultiValue === column.isMultiValue;
    if (isSame) return [];
    const what = now === undefined ? 'is missing' : 'has another type';
    const message = `Column ${column.name} ${what}: columns of a schema in use can only be added.`;
    return [
      { path: now?.path ?? column.path, code: 'SCHEMA_LOSES_DATA', severity: 'error', message },
    ];
  });
}
