import type { ErrorCode } from '@quire/core/portable';
import { expirationHeader, pageFormats, pageHeaders, type Route } from '@quire/core/wire';
import type { TObject, TSchema } from 'typebox';
import { ErrorBody } from './error-body.ts';
import { errorStatuses } from './error-status.ts';
import { refer } from './reference.ts';

/** One response of an operation: its description and its content by media type. */
export interface OperationResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly headers?: Readonly<Record<string, object>>;
  /** Set for a response without a body. */
  readonly type?: 'null';
}

/**
 * One call of the API: the source of its route, its validation and its entry in the OpenAPI
 * document.
 */
export interface Operation extends Route {
  readonly schema: {
    readonly operationId: string;
    readonly summary: string;
    readonly description: string;
    readonly tags: readonly string[];
    readonly params?: TObject;
    readonly querystring?: TObject;
    readonly headers?: TObject;
    readonly body?: TSchema;
    readonly response: Readonly<Record<number, OperationResponse>>;
    /** Absent: that of the document (Basic or Bearer). Empty: none. */
    readonly security?: readonly object[];
  };
}

/** The headers of every response. */
export const usualHeaders = {
  'x-request-id': { type: 'string', description: 'Id of the call, as in the log.' },
};

/** Returns a response of one media type. */
export function responseOf(
  description: string,
  mediaType: string,
  schema: object,
): OperationResponse {
  return { description, content: { [mediaType]: { schema } }, headers: usualHeaders };
}

const challengeHeader = {
  'www-authenticate': { type: 'string', description: 'Basic and Bearer are accepted.' },
};
const retryHeader = {
  'retry-after': { type: 'integer', description: 'Seconds after which to retry.' },
};

const runnerHeaders = {
  [pageHeaders.brokerHost]: {
    type: 'string',
    description: 'Host of the broker that runs the query.',
  },
  [pageHeaders.brokerPort]: { type: 'integer', description: 'Port of the broker.' },
};

/** The errors of every call with a principal. */
const usualCodes: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'SHUTTING_DOWN',
  'AUTHENTICATION_UNAVAILABLE',
];

/** The errors of calls that name a query or its result by id. */
export const resultErrors = [
  'RESULT_NOT_FOUND',
  'RESULT_EXPIRED',
  'RESULT_EVICTED',
  'RESULT_DELETED',
  'QUERY_ELSEWHERE',
  'STORE_UNAVAILABLE',
] as const;

/**
 * Returns the error responses of an operation, by status, for its own codes and those of every
 * call.
 */
export function errorResponses(...codes: readonly ErrorCode[]): Record<number, OperationResponse> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...codes, ...usualCodes])) {
    const status = errorStatuses[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Record<number, OperationResponse> = {};
  for (const [status, reasons] of byStatus) {
    const response = responseOf(
      `reason: ${reasons.join(', ')}.`,
      'application/json',
      refer(ErrorBody),
    );
    const headers = {
      ...response.headers,
      ...(status === 401 && challengeHeader),
      ...(status === 421 && runnerHeaders),
      ...((status === 429 || status === 503) && retryHeader),
    };
    responses[status] = { ...response, headers };
  }
  return responses;
}

/** The headers of cacheable responses. */
export const cacheHeaders = {
  etag: {
    type: 'string',
    description: 'Identifies exactly these bytes; send it as If-None-Match.',
  },
  'cache-control': {
    type: 'string',
    description: 'Time for which the page may be cached: until the result expires.',
  },
} as const;

/**
 * Returns the content of a response with rows, by media type. `json` is the schema of JSON
 * documents; absent if there are none.
 */
function contentOfRows(json?: object): NonNullable<OperationResponse['content']> {
  // `binary` is a format of OpenAPI 3.0 that client generators still use; they take an empty schema
  // as any JSON. They also use the first media type of a response: a file is what none of them can
  // read as text.
  const ordered = Object.values(pageFormats).toSorted(
    (a, b) => Number(b.isText) - Number(a.isText),
  );
  return Object.fromEntries(
    ordered.flatMap(({ mediaType, hasEnvelope, isText }) => {
      const rows = { type: 'string', ...(!isText && { format: 'binary' }) };
      const schema = hasEnvelope ? json : rows;
      return schema === undefined ? [] : [[mediaType, { schema }]];
    }),
  );
}

/** Returns the response with a byte range of a page in a format other than JSON. */
export function partResponse(): OperationResponse {
  const { headers } = pageResponse('', {});
  return {
    description: 'The bytes that Range requests. JSON is always complete.',
    content: contentOfRows(),
    headers: {
      ...headers,
      ...cacheHeaders,
      'content-range': {
        type: 'string',
        description: 'The range of these bytes and the total size: bytes 0-99/1000.',
      },
    },
  };
}

/** Returns a response with rows in every format; `json` is the schema of the JSON one. */
export function pageResponse(description: string, json: object): OperationResponse {
  return {
    description,
    content: contentOfRows(json),
    headers: {
      ...usualHeaders,
      ...Object.fromEntries(
        Object.entries(pageHeaders).map(([member, header]) => [
          header,
          {
            type: 'string',
            description: `The cursor member ${member}; absent with JSON, whose body has it.`,
          },
        ]),
      ),
      [expirationHeader]: {
        type: 'integer',
        description: 'Time at which the result expires, in epoch milliseconds.',
      },
    },
  };
}
