import type { ErrorCode } from '@quire/core/portable';
import { expirationHeader, pageFormats, pageHeaders, type Route } from '@quire/core/wire';
import type { TObject, TSchema } from 'typebox';
import { ErrorBody } from './error-body.ts';
import { errorStatuses } from './error-status.ts';
import { refer } from './reference.ts';

/** One response of an operation: what it means and, by media type, what it holds. */
export interface OperationResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly headers?: Readonly<Record<string, object>>;
  /** Of a response without a body. */
  readonly type?: 'null';
}

/**
 * One call of the API: the one source of its route, its validation and its place in the OpenAPI
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
    /** Absent: the document's own (Basic or Bearer). Empty: none. */
    readonly security?: readonly object[];
  };
}

/** What every response has in its head. */
export const usualHeaders = {
  'x-request-id': { type: 'string', description: 'Id of the call, by which the log names it.' },
};

/** A response of one media type. */
export function responseOf(
  description: string,
  mediaType: string,
  schema: object,
): OperationResponse {
  return { description, content: { [mediaType]: { schema } }, headers: usualHeaders };
}

const challengeHeader = {
  'www-authenticate': { type: 'string', description: 'Basic and Bearer are taken.' },
};
const retryHeader = {
  'retry-after': { type: 'integer', description: 'Seconds after which to try again.' },
};

const runnerHeaders = {
  [pageHeaders.brokerHost]: { type: 'string', description: 'The broker that runs the query.' },
  [pageHeaders.brokerPort]: { type: 'integer', description: 'Its port.' },
};

/** Failures that every call with a principal may meet. */
const usualCodes: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'SHUTTING_DOWN',
  'AUTHENTICATION_UNAVAILABLE',
];

/** What may keep a call from a query or its result by id. */
export const resultErrors = [
  'RESULT_NOT_FOUND',
  'RESULT_EXPIRED',
  'RESULT_EVICTED',
  'RESULT_DELETED',
  'QUERY_ELSEWHERE',
  'STORE_UNAVAILABLE',
] as const;

/**
 * The error responses of an operation, by status, from the codes that it may give; those that every
 * call gives are added.
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

/** The headers of what may be kept. */
export const cacheHeaders = {
  etag: {
    type: 'string',
    description: 'Identifies exactly these bytes; send it as If-None-Match.',
  },
  'cache-control': {
    type: 'string',
    description: 'How long the page may be kept: until the result expires.',
  },
} as const;

/**
 * The content of a response with rows, by media type. `json` is the schema of documents with an
 * envelope; absent, there are none.
 */
function contentOfRows(json?: object): NonNullable<OperationResponse['content']> {
  // `binary` is a word of OpenAPI 3.0; generators of clients still go by it, and take an empty
  // schema for JSON of any kind. They go by the first media type of a response, too: a file is what
  // none of them can read as text.
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

/** A part of a download: bytes of a page that is not JSON. */
export function partResponse(): OperationResponse {
  const { headers } = pageResponse('', {});
  return {
    description: 'The bytes that Range asks for. JSON comes whole.',
    content: contentOfRows(),
    headers: {
      ...headers,
      ...cacheHeaders,
      'content-range': {
        type: 'string',
        description: 'Which bytes these are, and how many there are: bytes 0-99/1000.',
      },
    },
  };
}

/** A response with rows, in every format; `json` is the schema of the JSON one. */
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
            description: `The cursor member ${member}; not with JSON, whose body has it.`,
          },
        ]),
      ),
      [expirationHeader]: {
        type: 'integer',
        description: 'When the result expires, in epoch milliseconds.',
      },
    },
  };
}
