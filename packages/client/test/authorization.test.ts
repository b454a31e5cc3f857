import { describe, expect, it } from 'vitest';
import { type Credentials, QuireClient, type QuireClientOptions } from '../src/index.ts';
import { errorOf } from './client-of-one-answer.ts';
import { FakeResult, requestId } from './fake-result.ts';

async function sentBy(client: Partial<QuireClientOptions>): Promise<string | null | undefined> {
  const fake = new FakeResult({ rowCount: 1, client });
  await fake.client.query('SELECT 1');
  return fake.headers[0]?.get('authorization');
}

describe('who calls', () => {
  it.each<[Credentials, string | null]>([
    [{ token: 'secret' }, 'Bearer secret'],
    [
      { basic: { user: 'ann', password: 'p:w' } },
      `Basic ${Buffer.from('ann:p:w').toString('base64')}`,
    ],
    [
      { basic: { user: 'zoë', password: '密码' } },
      `Basic ${Buffer.from('zoë:密码').toString('base64')}`,
    ],
    [{ authorization: 'Basic eDp5' }, 'Basic eDp5'],
    [{ authorization: () => 'Bearer fresh' }, 'Bearer fresh'],
    [{ authorization: () => Promise.resolve('Bearer fresh') }, 'Bearer fresh'],
    [{}, null],
  ])('the caller is named by %j', async (credentials, header) => {
    expect(await sentBy(credentials)).toBe(header);
  });

  it('the caller is not left to a browser, which would ask its user, unless nobody is named', async () => {
    const sent: (string | undefined)[] = [];
    const fetchFunction: typeof fetch = (_input, init) => {
      sent.push(init?.credentials);
      return Promise.resolve(Response.json([{ requestId }]));
    };
    const options = { baseUrl: 'http://quire.test', fetch: fetchFunction };
    await new QuireClient({ ...options, token: 'secret' }).metadata(requestId);
    await new QuireClient(options).metadata(requestId);
    expect(sent).toEqual(['omit', undefined]);
  });

  it('the caller is asked for again before every request, retries included', async () => {
    let count = 0;
    const fake = new FakeResult({
      rowCount: 3,
      fault: (_call, index) => (index === 1 ? new TypeError('fetch failed') : undefined),
      client: {
        authorization: () => Promise.resolve(`Bearer ${(count += 1)}`),
        retry: { delayMs: 0, delayMaxMs: 0 },
      },
    });
    const cursor = await fake.client.query('SELECT 1', { rowCount: 1 });
    const next = cursor.next();
    await fake.clock.untilSleeping();
    await fake.clock.advance(1);
    await next;
    expect(fake.headers.map((headers) => headers.get('authorization'))).toEqual([
      'Bearer 1',
      'Bearer 2',
      'Bearer 3',
    ]);
  });

  it('the caller is unknown when the function that should say fails, and nothing is sent', async () => {
    const failing = () => Promise.reject(new Error('The vault says token secret-7 is sealed.'));
    const fake = new FakeResult({ rowCount: 1, client: { authorization: failing } });
    expect(await errorOf(fake.client.metadata(requestId))).toEqual({
      code: 'UNAUTHENTICATED',
      message: 'The function that returns the Authorization failed.',
    });
    expect(fake.calls).toEqual([]);
  });

  it('the caller is not waited for without end', async () => {
    const fake = new FakeResult({
      rowCount: 1,
      client: { authorization: () => new Promise(() => undefined), retry: { attemptsMax: 1 } },
    });
    const reading = errorOf(fake.client.metadata(requestId));
    await fake.clock.advance(60_000);
    expect((await reading).code).toBe('SERVER_UNREACHABLE');
  });

  it.each<Credentials>([
    { token: 'a', authorization: 'b' },
    { token: 'a', basic: { user: 'ann', password: 'x' } },
    { basic: { user: 'a:b', password: 'x' } },
    { token: 'line\nbreak' },
  ])('the caller is not named by %j', (credentials) => {
    expect(() => new QuireClient({ baseUrl: 'http://quire.test', ...credentials })).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
  });

  it('the caller is not named by what no header can hold, from a function either', async () => {
    const fake = new FakeResult({
      rowCount: 1,
      client: { authorization: () => 'Bearer secret\n' },
    });
    const { code, message } = await errorOf(fake.client.metadata(requestId));
    expect([code, message.includes('secret'), fake.calls]).toEqual([
      'INVALID_PARAMETER',
      false,
      [],
    ]);
  });
});
