import { Type } from 'typebox';
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
    status: Type.String({ description: 'What was done.' }),
    unrecognizedProperties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    findings: Type.Optional(Type.Array(open, { description: 'What is worth knowing.' })),
  },
  { additionalProperties: true },
);

const sizes = Type.Object({
  reportedSizeInBytes: Type.Integer(),
  segments: Type.Record(Type.String(), open),
});

const ingestQuery = {
  tableNameWithType: 'The table.',
  batchConfigMapStr:
    'A JSON object of texts: inputFormat, and what else a batch config of a table may say.',
};

/**
 * The calls about tables, schemas and segments, where and as Apache Pinot's controller has them.
 */
export const tableAdminOperations = {
  createTable: adminOperation('createTable', {
    tag,
    summary: 'Make a table from its config',
    description:
      'Its schema must be there. If the config is not valid, the answer has all findings.',
    body: document,
    answer: done,
    answerIs: 'It is made.',
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
    answerIs: 'It is replaced.',
    errors: ['TABLE_NOT_FOUND', 'TENANT_NOT_FOUND', 'TABLE_INVALID'],
  }),
  deleteTable: adminOperation('deleteTable', {
    tag,
    summary: 'Delete a table and its segments',
    query: type,
    answer: done,
    answerIs: 'It is gone.',
    errors: ['TABLE_NOT_FOUND', 'TABLE_IN_USE'],
  }),
  readTableSize: adminOperation('readTableSize', {
    tag,
    summary: 'Read how large a table is',
    answer: Type.Object({
      tableName: Type.String(),
      reportedSizeInBytes: Type.Integer(),
      estimatedSizeInBytes: Type.Integer(),
      offlineSegments: Type.Union([sizes, Type.Null()]),
      realtimeSegments: Type.Union([sizes, Type.Null()]),
    }),
    answerIs: 'Its size, by half and segment.',
    errors: ['TABLE_NOT_FOUND'],
  }),
  updateTableSchema: adminOperation('updateTableSchema', {
    tag,
    summary: 'Replace the schema of a table',
    description: 'Columns may be added; none may go or change its type.',
    body: document,
    answer: done,
    answerIs: 'It is replaced.',
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
    summary: 'Make a schema',
    query: { override: 'true: one of that name is replaced. Default: false.' },
    body: document,
    answer: done,
    answerIs: 'It is made.',
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
    answerIs: 'It is replaced.',
    errors: ['SCHEMA_NOT_FOUND', 'TABLE_INVALID'],
  }),
  deleteSchema: adminOperation('deleteSchema', {
    tag,
    summary: 'Delete a schema',
    answer: done,
    answerIs: 'It is gone.',
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
    summary: 'Make schema and tables together',
    description: 'All or nothing.',
    body: document,
    answer: done,
    answerIs: 'They are made.',
    errors: ['TABLE_EXISTS', 'SCHEMA_EXISTS', 'TENANT_NOT_FOUND', 'TABLE_INVALID'],
  }),
  readTableConfigs: adminOperation('readTableConfigs', {
    tag,
    summary: 'Read schema and configs of a table together',
    answer: open,
    answerIs: 'Schema and configs.',
    errors: ['TABLE_NOT_FOUND'],
  }),
  updateTableConfigs: adminOperation('updateTableConfigs', {
    tag,
    summary: 'Replace schema and configs of a table together',
    body: document,
    answer: done,
    answerIs: 'They are replaced.',
    errors: ['TABLE_NOT_FOUND', 'TENANT_NOT_FOUND', 'TABLE_INVALID'],
  }),
  deleteTableConfigs: adminOperation('deleteTableConfigs', {
    tag,
    summary: 'Delete both halves of a table, and its schema',
    answer: done,
    answerIs: 'They are gone.',
    errors: ['TABLE_NOT_FOUND', 'TABLE_IN_USE', 'SCHEMA_IN_USE'],
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
    summary: 'Read what is known of a segment',
    answer: open,
    answerIs: 'What is known of it.',
    errors: ['TABLE_NOT_FOUND', 'SEGMENT_NOT_FOUND'],
  }),
  deleteSegment: adminOperation('deleteSegment', {
    tag,
    summary: 'Delete a segment',
    answer: done,
    answerIs: 'It is gone.',
    errors: ['TABLE_NOT_FOUND', 'SEGMENT_NOT_FOUND', 'CONFLICT'],
  }),
  ingestFromFile: adminOperation('ingestFromFile', {
    tag,
    summary: 'Load a file into a table',
    description: 'The file is the body, as multipart/form-data or by itself.',
    query: ingestQuery,
    answer: done,
    answerIs: 'Its rows are in the table.',
    errors: ['TABLE_NOT_FOUND', 'INGESTION_FAILED', 'BODY_TOO_LARGE'],
  }),
  ingestFromUri: adminOperation('ingestFromUri', {
    tag,
    summary: 'Load a file that the server can read into a table',
    description: 'Only files that the settings allow.',
    query: { ...ingestQuery, sourceURIStr: 'Where the file is.' },
    answer: done,
    answerIs: 'Its rows are in the table.',
    errors: ['TABLE_NOT_FOUND', 'INGESTION_FAILED'],
  }),
  listTenants: adminOperation('listTenants', {
    tag,
    summary: 'List the tenants',
    query: { type: 'broker or server: only those; the others are null.' },
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
    summary: 'Read what is known of an instance',
    answer: open,
    answerIs: 'What is known of it.',
    errors: ['ROUTE_NOT_FOUND'],
  }),
  readVersion: adminOperation('readVersion', {
    tag,
    summary: 'Read the version of this software',
    answer: Type.Record(Type.String(), Type.String()),
    answerIs: 'Version by component.',
  }),
} as const;
