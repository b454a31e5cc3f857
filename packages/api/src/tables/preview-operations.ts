import { Type } from '@quire/core/schema';
import type { ErrorCode } from '@quire/core/portable';
import { errorResponses, type Operation, responseOf } from '../operation.ts';
import { componentOf } from '../reference.ts';

interface Described {
  readonly summary: string;
  readonly description: string;
  /** Names of components of the controller, which it creates from the components of tables. */
  readonly body: string;
  readonly answer: string;
  /** Additional errors. */
  readonly errors?: readonly ErrorCode[];
}

function operationOf(
  operationId: string,
  path: string,
  { summary, description, body, answer, errors = [] }: Described,
): Operation {
  return {
    method: 'POST',
    path,
    schema: {
      operationId,
      summary,
      description,
      tags: ['tables'],
      body: componentOf(body),
      response: {
        200: responseOf('The findings.', 'application/json', componentOf(answer)),
        ...errorResponses(
          'ORIGIN_NOT_ALLOWED',
          'INVALID_BODY',
          'BODY_TOO_LARGE',
          'UNSUPPORTED_MEDIA_TYPE',
          ...errors,
        ),
      },
    },
  };
}

const alwaysFindings =
  'The answer is 200 with all findings, each with a JSON pointer, even if there are errors; 400 is for a body that is not an object.';

const previewFile: Operation = {
  method: 'POST',
  path: '/tables/previewFile',
  schema: {
    operationId: 'previewFile',
    summary: 'Preview a table from a file',
    description:
      'Samples the file in the body (multipart/form-data, or directly) and returns the same findings as a preview of its rows. The file is stored temporarily, and never held in ' +
      `memory as a whole; its format is detected from its content and its name. ${alwaysFindings} Admins may send larger files than others.`,
    tags: ['tables'],
    querystring: Type.Object({
      name: Type.Optional(
        Type.String({ description: 'Name of the file. Absent: that of the part, or none.' }),
      ),
      numRows: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Maximum number of rows to sample. Absent: 100.' }),
      ),
      batchConfigMapStr: Type.Optional(
        Type.String({
          description:
            'A JSON object of strings: inputFormat, and recordReader.prop.… of CSV. Absent: detected; CSV has commas.',
        }),
      ),
    }),
    response: {
      200: responseOf('The findings.', 'application/json', componentOf('PreviewResponse')),
      ...errorResponses(
        'ORIGIN_NOT_ALLOWED',
        'INVALID_PARAMETER',
        'INVALID_BODY',
        'BODY_TOO_LARGE',
        'QUERY_LIMIT_EXCEEDED',
        'STORE_FULL',
        'STORE_UNAVAILABLE',
      ),
    },
  },
};

/** The calls about tables that do not exist yet (SPECIFICATION.md section 4.3). */
export const previewOperations = {
  previewFile,
  previewTable: operationOf('previewTable', '/tables/preview', {
    summary: 'Preview a table',
    description:
      'Shows the rows that a table would store: samples rows of the request or of files, infers what the request omits, and passes ' +
      `the rows through the ingestion pipeline. Nothing is created. ${alwaysFindings} Files are read for admins only.`,
    body: 'Preview',
    answer: 'PreviewResponse',
    errors: ['QUERY_LIMIT_EXCEEDED'],
  }),
  validateTable: operationOf('validateTable', '/tables/validate', {
    summary: 'Check a table config',
    description: `Checks a table config by itself. ${alwaysFindings}`,
    body: 'TableConfig',
    answer: 'CheckedTable',
  }),
  validateSchema: operationOf('validateSchema', '/schemas/validate', {
    summary: 'Check a schema',
    description: `Checks the schema of a table. ${alwaysFindings}`,
    body: 'TableSchema',
    answer: 'CheckedSchema',
  }),
  validateTableConfigs: operationOf('validateTableConfigs', '/tableConfigs/validate', {
    summary: 'Check a schema and the configs of its table together',
    description: `Checks a schema, an offline and a real-time config, each by itself and with the others. ${alwaysFindings}`,
    body: 'TableConfigs',
    answer: 'CheckedTables',
  }),
} as const;
