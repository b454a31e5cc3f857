import { describe, expect, it } from 'vitest';
import { QuireClient } from '../src/quire-client.ts';
import { clientOf, errorOf } from './client-of-one-answer.ts';

const requestId = '018f6b1e-0000-7000-8000-000000000001';

describe('stored results', () => {
  const entry = {
    requestId,
    brokerId: 'Broker_localhost_8099',
    submissionTimeMs: 1000,
    expirationTimeMs: 3_601_000,
    responseMetadata: [
      {
        type: 'fs',
        numRows: 3,
        dataFile: 'file:///data.arrow',
        metadataFile: 'file:///record.json',
        sizeBytes: 4096,
      },
    ],
  };
  const stored = {
    requestId,
    brokerId: 'Broker_localhost_8099',
    submissionTimeMs: 1000,
    expirationTimeMs: 3_601_000,
    rowCount: 3,
    sizeBytes: 4096,
    storage: 'fs',
    dataFile: 'file:///data.arrow',
    metadataFile: 'file:///record.json',
  };

  it('stored results are listed', async () => {
    const { client, sent } = clientOf({ resultMetadataList: [entry] });
    expect(await client.list()).toEqual([stored]);
    expect([sent[0]?.method, sent[0]?.url]).toEqual([
      'GET',
      'http://quire.test/base/query/resultStore',
    ]);
  });

  it('stored results are described by the wire’s own record', async () => {
    const { client, sent } = clientOf([{ requestId, numRowsResultSet: 3 }]);
    expect(await client.metadata(requestId)).toEqual({ requestId, numRowsResultSet: 3 });
    expect(sent[0]?.url).toBe(`http://quire.test/base/query/${requestId}/metadata`);
  });

  it('stored results are deleted', async () => {
    const { client, sent } = clientOf(`Query Results for ${requestId} deleted.`);
    await client.delete(requestId);
    expect([sent[0]?.method, sent[0]?.url]).toEqual([
      'DELETE',
      `http://quire.test/base/query/resultStore/${requestId}`,
    ]);
  });

  it('stored results are renewed', async () => {
    const { client, sent } = clientOf(entry);
    expect(await client.renew(requestId, '2h')).toEqual(stored);
    expect([sent[0]?.method, sent[0]?.url, sent[0]?.body]).toEqual([
      'PATCH',
      `http://quire.test/base/query/resultStore/${requestId}`,
      { expiration: '2h' },
    ]);
  });

  it('stored results are not opened while their queries run: the rows so far would count as all', async () => {
    const resultTable = {
      dataSchema: { columnNames: ['n'], columnDataTypes: ['INT'] },
      rows: [[1]],
    };
    const ids = { requestId, brokerId: 'b', numRowsResultSet: 1, exceptions: [] };
    const running = { ...ids, state: 'RUNNING', resultTable, offset: 0, numRows: 1 };
    const queued = { ...ids, state: 'QUEUED', sizeBytes: 0, timeUsedMs: 1, submissionTimeMs: 1 };
    for (const answer of [running, queued]) {
      const { client } = clientOf(answer);
      for (const call of [client.open(requestId), client.page(requestId, { offset: 0 })]) {
        expect(await errorOf(call)).toEqual({
          code: 'CONFLICT',
          message: 'The query is still running; its result can be read when it has ended.',
        });
      }
    }
  });

  it.each(['..', '', 'a/b', '%2e%2e', 'a b', '018F6B1E-0000-7000-8000-000000000001'])(
    'stored results are not asked for by the id %j, which would change the URL',
    async (id) => {
      const { client, sent } = clientOf('');
      for (const call of [
        client.delete(id),
        client.metadata(id),
        client.renew(id, '1h'),
        client.page(id, { offset: 0 }),
      ]) {
        expect((await errorOf(call)).code).toBe('INVALID_PARAMETER');
      }
      expect(sent).toEqual([]);
    },
  );
});

describe('an answer that is not Quire’s', () => {
  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [404, 'UNEXPECTED_RESPONSE'],
    [429, 'TOO_MANY_REQUESTS'],
    [502, 'SERVER_UNREACHABLE'],
  ])('an answer that is not Quire’s with status %i rejects with %s', async (status, code) => {
    const { client } = clientOf('<html>', { status });
    expect((await errorOf(client.list())).code).toBe(code);
  });

  it.each([
    ['[]', 'body is an array, not an object'],
    ['{}', 'resultMetadataList is nothing, not an array'],
    ['{"resultMetadataList":[{}]}', 'responseMetadata is nothing, not an array'],
  ])('an answer that is not Quire’s with the body %s says what is wrong', async (body, problem) => {
    const { client } = clientOf(body);
    expect(await errorOf(client.list())).toEqual({
      code: 'UNEXPECTED_RESPONSE',
      message: `The answer's ${problem}: is this a Quire server?`,
    });
  });
});

describe('a client', () => {
  it('a client says who did not answer, and why', async () => {
    const client = new QuireClient({
      baseUrl: 'http://quire.test:8099',
      retry: { attemptsMax: 1 },
      fetch: () =>
        Promise.reject(
          new TypeError('fetch failed', {
            cause: new Error('connect ECONNREFUSED 127.0.0.1:8099'),
          }),
        ),
    });
    expect(await errorOf(client.list())).toEqual({
      code: 'SERVER_UNREACHABLE',
      message: 'No answer from http://quire.test:8099: connect ECONNREFUSED 127.0.0.1:8099.',
    });
  });

  it('a client sends another Authorization than a bearer token as it is, and none when there is none', async () => {
    const authorizations: (string | null)[] = [];
    const fetchFunction: typeof fetch = (_url, request) => {
      authorizations.push(new Headers(request?.headers).get('authorization'));
      return Promise.resolve(Response.json({ resultMetadataList: [] }));
    };
    await new QuireClient({
      baseUrl: 'http://quire.test',
      authorization: 'Basic eDp5',
      fetch: fetchFunction,
    }).list();
    await new QuireClient({ baseUrl: 'http://quire.test', fetch: fetchFunction }).list();
    expect(authorizations).toEqual(['Basic eDp5', null]);
  });

  it('a client refuses a token that no header can hold, without repeating it', () => {
    for (const token of ['secret\n', 'secret\u0000', 'secret…']) {
      expect(() => new QuireClient({ baseUrl: 'http://quire.test', token })).toThrow(
        expect.objectContaining({
          code: 'INVALID_PARAMETER',
          message: expect.not.stringContaining('secret'),
        }),
      );
    }
  });

  it.each(['http://ann:secret@quire.test', 'https://secret@quire.test', 'ftp://ann:se@cret@x'])(
    'a client refuses the address %j with credentials, which messages would repeat',
    (baseUrl) => {
      expect(() => new QuireClient({ baseUrl })).toThrow(
        expect.objectContaining({
          code: 'INVALID_PARAMETER',
          message: expect.not.stringMatching(/secret|cret@|ann/),
        }),
      );
    },
  );

  it.each(['quire.test', 'ftp://quire.test', ''])(
    'a client is not made for the address %j',
    (baseUrl) => {
      expect(() => new QuireClient({ baseUrl })).toThrow(
        expect.objectContaining({ code: 'INVALID_PARAMETER' }),
      );
    },
  );
});
