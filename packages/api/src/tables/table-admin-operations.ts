import { Type } from '@quire/core/schema';
import { adminOperation } from './admin-operation.ts';

const tag = 'tables';
const names = Type.Array(Type.String());
const open = Type.Object({}, { additionalProperties: true });
const document = Type.Object(
  {},
  { additionalProperties: true, description: 'The document; see the preview for its members.' },
);
const type = { type: 'OFFLINE or REALTIME: only that half.' };
const done = Type.Object(
  {
    status: Type.String({ description: 'A confirmation.' }),
    unrecognizedProperties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    findings: Type.Optional(Type.Array(open, { description: 'Notices.' })),
  },
  { additionalProperties: true },
);

const sizes = Type.Object({
  reportedSizeInBytes: Type.Integer(),
  numRows: Type.Integer({ description: 'Rows of all segments, including those being consumed.' }),
  segments: Type.Record(Type.String(), open),
});

const ingestQuery = {
  tableNameWithType: 'The table.',
  batchConfigMapStr:
    "A JSON object of strings: inputFormat, and other members of a table's batch config.",
};

/**
 * The calls about tables, schemas and segments, with the paths and formats of Apache Pinot's
 * controller.
 */
export const tableAdminOperations = {
  createTable: adminOperation('createTable', {
    tag,
    summary: 'Create a table from its config',
    description: 'Its schema must exist. If the config is not valid, the answer has all findings.',
    body: document,
    answer: done,
    answerIs: 'The table was created.',
    errors: ['TABLE_EXISTS', 'SCHEMA_NOT_FOUND', 'TENANT_NOT_FOUND', 'TABLE_INVALID'],
  }),
  readTable: adminOperation('readTable', {
    tag,
    summary: 'Read the config of a table',
    query: type,
    answer: Type.Object({ OFFLINE: Type.Optional(open), REALTIME: Type.Optional(open) }),
    answerIs: 'The config of each half.',
    errors: ['TABLE_NOT_FOUND'],
  }),
  updateTable: adminOperation('updateTable', {
    tag,
    summary: 'Replace the config of a table',
    body: document,
    answer: done,
    answerIs: 'The config was replaced.',
    errors: ['TABLE_NOT_FOUND', 'TENANT_NOT_FOUND', 'TABLE_INVALID'],
  }),
  deleteTable: adminOperation('deleteTable', {
    tag,
    summary: 'Delete a table and its segments',
    query: type,
    answer: done,
    answerIs: 'The table was deleted.',
    errors: ['TABLE_NOT_FOUND', 'TABLE_IN_USE'],
  }),
  readTableSize: adminOperation('readTableSize', {
    tag,
    summary: 'Read the size of a table',
    answer: Type.Object({
      tableName: Type.String(),
      reportedSizeInBytes: Type.Integer(),
      estimatedSizeInBytes: Type.Integer(),
      offlineSegments: Type.Union([sizes, Type.Null()]),
      realtimeSegments: Type.Union([sizes, Type.Null()]),
    }),
    answerIs: 'The size of the table, by half and segment.',
    errors: ['TABLE_NOT_FOUND'],
  }),
  updateTableSchema: adminOperation('updateTableSchema', {
    tag,
    summary: 'Replace the schema of a table',
    description: 'Columns can be added, but not removed or changed in type.',
    body: document,
    answer: done,
    answerIs: 'The schema was replaced.',
    errors: ['TABLE_NOT_FOUND', 'TABLE_INVALID'],
  }),
  listSchemas: adminOperation('listSchemas', {
    tag,
    summary: 'List the schemas',
    answer: names,
    answerIs: 'Names of schemas.',
  }),
  createSchema: adminOperation('createSchema', {
    tag,
    summary: 'Create a schema',
    query: { override: 'true: an existing schema of that name is replaced. Default: false.' },
    body: document,
    answer: done,
    answerIs: 'The schema was created.',
    errors: ['SCHEMA_EXISTS', 'TABLE_INVALID'],
  }),
  readSchema: adminOperation('readSchema', {
    tag,
    summary: 'Read a schema',
    answer: open,
    answerIs: 'The schema.',
    errors: ['SCHEMA_NOT_FOUND'],
  }),
  updateSchema: adminOperation('updateSchema', {
    tag,
    summary: 'Replace a schema',
    body: document,
    answer: done,
    answerIs: 'The schema was replaced.',
    errors: ['SCHEMA_NOT_FOUND', 'TABLE_INVALID'],
  }),
  deleteSchema: adminOperation('deleteSchema', {
    tag,
    summary: 'Delete a schema',
    answer: done,
    answerIs: 'The schema was deleted.',
    errors: ['SCHEMA_NOT_FOUND', 'SCHEMA_IN_USE'],
  }),
  listTableConfigs: adminOperation('listTableConfigs', {
    tag,
    summary: 'List the tables whose schema and configs can be read together',
    answer: names,
    answerIs: 'Names without type.',
  }),
  createTableConfigs: adminOperation('createTableConfigs', {
    tag,
    summary: 'Create a schema and its tables together',
    description: 'Creates all of them or none.',
    body: document,
    answer: done,
    answerIs: 'The schema and the tables were created.',
    errors: ['TABLE_EXISTS', 'SCHEMA_EXISTS', 'TENANT_NOT_FOUND', 'TABLE_INVALID'],
  }),
  readTableConfigs: adminOperation('readTableConfigs', {
    tag,
    summary: 'Read the schema and configs of a table together',
    answer: open,
    answerIs: 'Schema and configs.',
    errors: ['TABLE_NOT_FOUND'],
  }),
  updateTableConfigs: adminOperation('updateTableConfigs', {
    tag,
    summary: 'Replace the schema and configs of a table together',
    description:
      'The name has no type. A half that does not exist is created. All parts are checked before one is written.',
    body: document,
    answer: done,
    answerIs: 'The schema and the configs were replaced.',
    errors: ['INVALID_PARAMETER', 'TABLE_NOT_FOUND', 'TENANT_NOT_FOUND', 'TABLE_INVALID'],
  }),
  deleteTableConfigs: adminOperation('deleteTableConfigs', {
    tag,
    summary: 'Delete both halves of a table, and its schema',
    description: 'The name has no type.',
    answer: done,
    answerIs: 'The halves and the schema were deleted.',
    errors: ['INVALID_PARAMETER', 'TABLE_NOT_FOUND', 'TABLE_IN_USE', 'SCHEMA_IN_USE'],
  }),
  listSegments: adminOperation('listSegments', {
    tag,
    summary: 'List the segments of a table',
    query: type,
    answer: Type.Array(Type.Record(Type.String(), names)),
    answerIs: 'Names by type.',
    errors: ['TABLE_NOT_FOUND'],
  }),
  readSegment: adminOperation('readSegment', {
    tag,
    summary: 'Read the metadata of a segment',
    answer: open,
    answerIs: 'The metadata of the segment.',
    errors: ['TABLE_NOT_FOUND', 'SEGMENT_NOT_FOUND'],
  }),
  deleteSegment: adminOperation('deleteSegment', {
    tag,
    summary: 'Delete a segment',
    answer: done,
    answerIs: 'The segment was deleted.',
    errors: ['TABLE_NOT_FOUND', 'SEGMENT_NOT_FOUND', 'CONFLICT'],
  }),
  ingestFromFile: adminOperation('ingestFromFile', {
    tag,
    summary: 'Load a file into a table',
    description: 'The file is the body, as multipart/form-data or directly.',
    query: ingestQuery,
    answer: done,
    answerIs: 'The rows of the file are in the table.',
    errors: [
      'TABLE_NOT_FOUND',
      'INGESTION_FAILED',
      'BODY_TOO_LARGE',
      'STORE_FULL',
      'STORE_UNAVAILABLE',
    ],
  }),
  ingestFromUri: adminOperation('ingestFromUri', {
    tag,
    summary: 'Load a file that the server can read into a table',
    description: 'Only files that the settings allow.',
    query: { ...ingestQuery, sourceURIStr: 'Location of the file.' },
    answer: done,
    answerIs: 'The rows of the file are in the table.',
    errors: ['TABLE_NOT_FOUND', 'INGESTION_FAILED'],
  }),
  listTenants: adminOperation('listTenants', {
    tag,
    summary: 'List the tenants',
    query: { type: 'Only instances of this kind, broker or server; the others are null.' },
    answer: Type.Object({
      SERVER_TENANTS: Type.Union([names, Type.Null()]),
      BROKER_TENANTS: Type.Union([names, Type.Null()]),
    }),
    answerIs: 'The tenants.',
  }),
  listInstances: adminOperation('listInstances', {
    tag,
    summary: 'List the instances',
    answer: Type.Object({ instances: names }),
    answerIs: 'Names of instances.',
  }),
  readInstance: adminOperation('readInstance', {
    tag,
    summary: 'Read the properties of an instance',
    answer: open,
    answerIs: 'The properties of the instance.',
    errors: ['ROUTE_NOT_FOUND'],
  }),
  readVersion: adminOperation('readVersion', {
    tag,
    summary: 'Read the version of this software',
    answer: Type.Record(Type.String(), Type.String()),
    answerIs: 'Version by component.',
  }),
} as const;
