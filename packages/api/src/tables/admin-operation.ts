import type { ErrorCode } from '@quire/core';
import { type AdminRouteName, adminRoutes } from '@quire/core/wire';
import { Type } from '@quire/core/schema';
import type { TObject, TSchema } from 'typebox';
import { errorResponses, type Operation, responseOf } from '../operation.ts';
import { refer } from '../reference.ts';

/** The differences between calls about tables. */
export interface AdminCall {
  readonly summary: string;
  readonly description?: string;
  readonly tag: 'tables' | 'streams' | 'tasks' | 'restream' | 'pinot';
  /**
   * Query parameters: their descriptions by name. The routes parse them and report problems in full
   * sentences.
   */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: TSchema;
  readonly answer: TSchema;
  readonly answerIs: string;
  readonly errors?: readonly ErrorCode[];
}

/** Parameters of paths, by name. */
const pathParameters: Readonly<Record<string, string>> = {
  tableName:
    'Name of the table. The suffix _OFFLINE or _REALTIME is optional if the call can apply to both halves.',
  schemaName: 'Name of the schema.',
  segmentName: 'Name of the segment.',
  jobId: 'Id of the job.',
  taskType: 'Task type.',
  taskName: 'Name of the task.',
  subtaskName: 'Name of the subtask.',
  instanceName: 'Name of the instance.',
};

/**
 * Returns an operation about tables: changes are for admins, and every call may fail because the
 * engine does not answer.
 */
export function adminOperation(operationId: AdminRouteName, call: AdminCall): Operation {
  const { method, path } = adminRoutes[operationId];
  const { summary, description, tag, query, body, answer, answerIs, errors = [] } = call;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const isChange = method !== 'GET';
  const roles = isChange ? 'For admins.' : '';
  const codes: ErrorCode[] = [
    ...errors,
    'UNSUPPORTED',
    'ENGINE_UNAVAILABLE',
    ...(query === undefined ? [] : (['INVALID_PARAMETER'] as const)),
    // A table whose files are in the settings cannot be changed.
    ...(isChange ? (['FORBIDDEN', 'ORIGIN_NOT_ALLOWED', 'CONFLICT'] as const) : []),
    ...(body === undefined
      ? []
      : (['INVALID_BODY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
  ];
  const isNamed = '$id' in answer;
  return {
    method,
    path,
    schema: {
      operationId,
      summary,
      description: [description ?? `${summary}.`, roles].filter(Boolean).join(' '),
      tags: [tag],
      ...(names.length > 0 && {
        params: stringsOf(names.map((name) => [name, pathParameters[name] ?? name])),
      }),
      ...(query !== undefined && { querystring: optionalOf(query) }),
      ...(body !== undefined && { body }),
      response: {
        200: responseOf(answerIs, 'application/json', isNamed ? refer(answer) : answer),
        ...errorResponses(...codes),
      },
    },
  };
}

function stringsOf(members: readonly (readonly [string, string])[]): TObject {
  return Type.Object(
    Object.fromEntries(members.map(([name, description]) => [name, Type.String({ description })])),
  );
}

/**
 * Returns optional parameters without restrictions: routes report in a sentence what is wrong with
 * one.
 */
function optionalOf(query: Readonly<Record<string, string>>): TObject {
  const members = Object.entries(query).map(([name, description]) => [
    name,
    Type.Optional(Type.String({ description })),
  ]);
  return Type.Object(Object.fromEntries(members) as Record<string, TSchema>);
}
