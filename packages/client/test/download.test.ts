import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { until } from '../../../test/src/testkit/until.ts';
import { pieceOf } from '../src/document-pieces.ts';
import type { DownloadOptions, DownloadProgress } from '../src/index.ts';
import { planPages } from '../src/result-cursor.ts';
import { errorOf } from './client-of-one-answer.ts';
import { collect, csvOf, FakeResult, requestId, textOf } from './fake-result.ts';

const noWaits = { retry: { delayMs: 0, delayMaxMs: 0, attemptsMax: 1 } };

async function cursorOf(fake: FakeResult) {
  return fake.client.open(requestId, { rowCount: 1 });
}

const rowsOf = (start: number, end: number) =>
  Array.from(
    { length: end - start },
    (_, index) => [start + index, `row ${start + index}`] as const,
  );

async function documentOf(rowCount: number, options: DownloadOptions): Promise<string> {
  const cursor = await cursorOf(new FakeResult({ rowCount }));
  return textOf(await collect(cursor.download(options)));
}

describe('a download', () => {
  it('a download is one document, however many pages it takes', async () => {
    const ndjson = rowsOf(0, 7).map(([n]) => `{"n":${n}}`);
    for (const pageSize of [1, 2, 3, 7, 100]) {
      expect(await documentOf(7, { format: 'csv', pageSize })).toBe(csvOf(rowsOf(0, 7)));
      expect(await documentOf(7, { format: 'ndjson', pageSize })).toBe(`${ndjson.join('\n')}\n`);
      expect(await documentOf(7, { format: 'json', pageSize })).toBe(
        `[\n${ndjson.join(',\n')}\n]\n`,
      );
    }
  });

  it('a download of some rows begins with a header and ends where it should', async () => {
    expect(await documentOf(20, { format: 'csv', offset: 5, rowCount: 7, pageSize: 3 })).toBe(
      csvOf(rowsOf(5, 12)),
    );
    expect(await documentOf(20, { format: 'csv', offset: 18, rowCount: 7, pageSize: 3 })).toBe(
      csvOf(rowsOf(18, 20)),
    );
  });

  it('a download of no rows is a document all the same', async () => {
    expect(await documentOf(0, { format: 'csv' })).toBe(csvOf([]));
    expect(await documentOf(9, { format: 'csv', offset: 3, rowCount: 0 })).toBe(csvOf([]));
    expect(JSON.parse(await documentOf(0, { format: 'json' }))).toEqual([]);
    expect(await documentOf(0, { format: 'ndjson' })).toBe('');
  });

  it('sizes its pages by what rows weigh, unless it is told how many', async () => {
    const pagesOf = async (rowCount: number, bytesPerRow: number) => {
      const fault = (call: string) => {
        const [, rows] = /numRows=(\d+)&format=ndjson/.exec(call) ?? [];
        return rows === undefined
          ? undefined
          : new Response(new Uint8Array(Number(rows) * bytesPerRow));
      };
      const fake = new FakeResult({ rowCount, fault });
      const cursor = await cursorOf(fake);
      for await (const chunk of cursor.download({ format: 'ndjson' })) {
        expect(chunk.byteLength).toBeLessThanOrEqual(4_194_304);
      }
      return fake.pages.slice(1);
    };
    // 4 MiB are 41,943 rows of 100 bytes; a page has ten times the rows of the one before at most.
    expect(await pagesOf(100_000, 100)).toEqual([
      '0+1000',
      '1000+10000',
      '11000+41943',
      '52943+41943',
      '94886+5114',
    ]);
    expect(await pagesOf(1700, 4000)).toEqual(['0+1000', '1000+700']);
    expect(await pagesOf(1003, 4_000)).toEqual(['0+1000', '1000+3']);
  });

  it('a download tells how far it is, with each chunk', async () => {
    const reported: DownloadProgress[] = [];
    const cursor = await cursorOf(new FakeResult({ rowCount: 5 }));
    await collect(
      cursor.download({
        format: 'ndjson',
        pageSize: 2,
        onProgress: (progress) => reported.push(progress),
      }),
    );
    expect(reported).toEqual([
      { rowCount: 2, totalRowCount: 5, sizeBytes: 16 },
      { rowCount: 4, totalRowCount: 5, sizeBytes: 32 },
      { rowCount: 5, totalRowCount: 5, sizeBytes: 40 },
    ]);
  });

  it.each(['csv', 'parquet'] as const)(
    'a download of %s goes on with the chunk whose progress could not be told',
    async (format) => {
      const fault = (call: string) =>
        call.includes('parquet') ? new Response('PAR1 rows PAR1') : undefined;
      const cursor = await cursorOf(new FakeResult({ rowCount: 5, fault }));
      let isBroken = true;
      const onProgress = (): void => {
        if (isBroken) throw new Error('The display is gone.');
      };
      const download = cursor.download({ format, pageSize: 2, onProgress });
      await expect(collect(download)).rejects.toThrow('The display is gone.');
      isBroken = false;
      expect(textOf(await collect(download))).toBe(
        format === 'csv' ? csvOf(rowsOf(0, 5)) : 'PAR1 rows PAR1',
      );
    },
  );

  it('a download gives a page once that was cut short at first', async () => {
    const cut = new Set([1, 3]);
    const fake = new FakeResult({
      rowCount: 6,
      fault: (_call, index) => (cut.has(index) ? 'cut' : undefined),
    });
    const cursor = await cursorOf(fake);
    const reading = collect(cursor.download({ format: 'csv', pageSize: 2 }));
    for (let turn = 0; turn < 20; turn += 1) await fake.clock.advance(100);
    expect(textOf(await reading)).toBe(csvOf(rowsOf(0, 6)));
    expect(fake.calls.length).toBe(1 + 3 + 2);
  });

  it.each([
    ['csv', 'with "quotes"\nand lines'],
    ['ndjson', ''],
  ] as const)(
    'a download of %s requests a page again that a proxy has cut short as if it were whole',
    async (format, name) => {
      const rows = rowsOf(0, 6).map(([n, text]) =>
        format === 'csv' ? `${n},"${text} ${name.replaceAll('"', '""')}"\n` : `{"n":${n}}\n`,
      );
      const page = (format === 'csv' ? 'n,"a\nb"\n' : '') + rows.join('');
      const headers = { 'quire-num-rows': '6', 'quire-offset': '0', 'quire-request-id': requestId };
      for (let end = 0; end < page.length; end += 1) {
        const fault = (call: string, index: number) =>
          call.includes('format=')
            ? new Response(index === 1 ? page.slice(0, end) : page, { headers })
            : undefined;
        const fake = new FakeResult({ rowCount: 6, fault });
        const cursor = await cursorOf(fake);
        const reading = collect(cursor.download({ format }));
        for (let turn = 0; turn < 20; turn += 1) await fake.clock.advance(100);
        expect([end, textOf(await reading), fake.calls.length]).toEqual([end, page, 3]);
      }
    },
  );

  it.each(['csv', 'ndjson', 'json'] as const)(
    'a download of %s that broke off anywhere goes on without a byte twice or missing',
    async (format) => {
      const whole = await documentOf(9, { format, pageSize: 2 });
      for (let broken = 1; broken <= 5; broken += 1) {
        let isBroken = true;
        const fault = (_call: string, index: number) =>
          isBroken && index === broken ? 'cut' : undefined;
        const fake = new FakeResult({ rowCount: 9, fault, client: noWaits });
        const cursor = await cursorOf(fake);
        const chunks: Uint8Array[] = [];
        const download = cursor.download({ format, pageSize: 2 });
        const first = (async () => {
          for await (const chunk of download) chunks.push(chunk);
        })();
        expect((await errorOf(first)).code).toBe('SERVER_UNREACHABLE');
        expect(download.position).toEqual({
          offset: 2 * (broken - 1),
          sizeBytes: textOf(chunks).length,
        });

        isBroken = false;
        const from = download.position;
        // As another process would, with other pages.
        const resumed = await collect(cursor.download({ format, pageSize: 3, from }));
        expect(textOf([...chunks, ...resumed])).toBe(whole);
        // The same one, looped over again.
        expect(textOf([...chunks, ...(await collect(download))])).toBe(whole);
      }
    },
  );

  it('a download that is complete has nothing to go on with', async () => {
    const fake = new FakeResult({ rowCount: 4 });
    const cursor = await cursorOf(fake);
    const download = cursor.download({ format: 'json' });
    await collect(download);
    const callCount = fake.calls.length;
    expect(await collect(cursor.download({ format: 'json', from: download.position }))).toEqual([]);
    expect(fake.calls.length).toBe(callCount);
  });

  it('a download takes no page of other rows than were asked for', async () => {
    const headers = { 'quire-offset': '0', 'quire-num-rows': '1' };
    const fault = (call: string) =>
      call.includes('format') ? new Response('n\n0\n', { headers }) : undefined;
    const cursor = await cursorOf(new FakeResult({ rowCount: 4, fault }));
    expect((await errorOf(collect(cursor.download({ format: 'csv' })))).message).toBe(
      `Requested 4 rows from row 0 of ${requestId}, but received 1.`,
    );
  });

  it.each<Partial<DownloadOptions>>([
    { offset: -1 },
    { rowCount: 0.5 },
    { pageSize: 0 },
    { from: { offset: 5, sizeBytes: 0 } },
    { from: { offset: 1, sizeBytes: -1 } },
    { offset: 3, from: { offset: 2, sizeBytes: 10 } },
  ])('a download is not made with %j', async (options) => {
    const cursor = await cursorOf(new FakeResult({ rowCount: 4 }));
    expect(() => cursor.download({ format: 'csv', ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
  });

  it('a download does not begin past the end', async () => {
    const cursor = await cursorOf(new FakeResult({ rowCount: 4 }));
    expect(() => cursor.download({ format: 'csv', offset: 5 })).toThrow(
      expect.objectContaining({ code: 'OFFSET_OUT_OF_RANGE' }),
    );
  });

  it('a download is a stream of the web as well, which asks for pages as they are taken', async () => {
    const fake = new FakeResult({ rowCount: 8 });
    const cursor = await cursorOf(fake);
    const download = cursor.download({ format: 'csv', pageSize: 2 });
    expect(await new Response(download.toReadableStream()).text()).toBe(csvOf(rowsOf(0, 8)));

    const reader = cursor.download({ format: 'csv', pageSize: 2 }).toReadableStream().getReader();
    const callCount = fake.calls.length;
    await reader.read();
    await reader.cancel();
    expect(fake.calls.length - callCount).toBeLessThanOrEqual(2);
  });

  it.each(['csv', 'parquet'] as const)(
    'a download of %s whose stream is cancelled ends the call in progress, and calls no more',
    async (format) => {
      const fault = (call: string) => (call.includes('format=') ? 'hang' : undefined);
      const fake = new FakeResult({ rowCount: 9, fault });
      const stream = (await cursorOf(fake)).download({ format }).toReadableStream();
      const reader = stream.getReader();
      const reading = reader.read();
      await until(() => fake.calls.length === 2, 'the call of the page');
      await reader.cancel();
      expect([await reading, fake.calls.length]).toEqual([{ done: true, value: undefined }, 2]);
    },
  );

  it('a download hands a failure on to the stream', async () => {
    const fault = (call: string) =>
      call.includes('format') ? new TypeError('fetch failed') : undefined;
    const cursor = await cursorOf(new FakeResult({ rowCount: 8, fault, client: noWaits }));
    expect(
      (await errorOf(cursor.download({ format: 'csv' }).toReadableStream().getReader().read()))
        .code,
    ).toBe('SERVER_UNREACHABLE');
  });
});

describe('a download in Parquet', () => {
  const file = new TextEncoder().encode('PAR1 all rows of the result PAR1');
  const asked = `/query/${requestId}/results?offset=0&numRows=7&format=parquet`;

  /** Answers with the file, or the requested range of it; the first answer is cut off. */
  function fakeOf(respectsRange: boolean): FakeResult {
    const fake: FakeResult = new FakeResult({
      rowCount: 7,
      fault: (call) => {
        if (!call.includes('format=parquet')) return undefined;
        const [, start] = /^bytes=(\d+)-$/.exec(fake.headers.at(-1)?.get('range') ?? '') ?? [];
        if (start === undefined) return new Response(brokenOff(file.subarray(0, 10)));
        return respectsRange
          ? new Response(file.subarray(Number(start)), { status: 206 })
          : new Response(file);
      },
    });
    return fake;
  }

  function brokenOff(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
    return new ReadableStream({
      start: (controller) => controller.enqueue(bytes),
      pull: () => Promise.reject(new TypeError('terminated')),
    });
  }

  it('a download in Parquet is one page, which goes on behind the last byte that was given', async () => {
    const fake = fakeOf(true);
    const progress: DownloadProgress[] = [];
    const download = (await cursorOf(fake)).download({
      format: 'parquet',
      onProgress: (made) => progress.push(made),
    });
    const chunks: Uint8Array[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of download) chunks.push(chunk);
    };
    expect((await errorOf(read())).code).toBe('SERVER_UNREACHABLE');
    expect(download.position).toEqual({ offset: 0, sizeBytes: 10 });
    await read();
    await read();
    expect(textOf(chunks)).toBe(textOf([file]));
    expect(fake.calls.slice(1)).toEqual([`GET ${asked}`, `GET ${asked}`]);
    expect(download.position).toEqual({ offset: 7, sizeBytes: file.byteLength });
    expect(progress.map(({ rowCount, sizeBytes }) => [rowCount, sizeBytes])).toEqual([
      [0, 10],
      [0, file.byteLength],
      [7, file.byteLength],
    ]);
  });

  it('a download in Parquet that has all bytes, but not the end of its loop, is continued to its end', async () => {
    const outOfRange = {
      code: 416,
      error: 'The page has 31 bytes.',
      reason: 'OFFSET_OUT_OF_RANGE',
    };
    const fault = (call: string) =>
      call.includes('parquet') ? Response.json(outOfRange, { status: 416 }) : undefined;
    const cursor = await cursorOf(new FakeResult({ rowCount: 7, fault }));
    const from = { offset: 0, sizeBytes: 31 };
    const rest = cursor.download({ format: 'parquet', from });
    expect([await collect(rest), rest.position]).toEqual([[], { offset: 7, sizeBytes: 31 }]);
    const whole = cursor.download({ format: 'parquet' });
    expect((await errorOf(collect(whole))).code).toBe('OFFSET_OUT_OF_RANGE');
  });

  it('a download in Parquet is refused when a server sends the whole file instead of its rest', async () => {
    const from = { offset: 0, sizeBytes: 10 };
    const download = (await cursorOf(fakeOf(false))).download({ format: 'parquet', from });
    expect(await errorOf(collect(download))).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      message:
        'A range of a page was requested; the server answered 200 with the whole page instead of 206.',
    });
  });

  it('a download in Parquet of no rows is a file all the same', async () => {
    const fault = (call: string) =>
      /offset=(?:0|7)&numRows=1&format=parquet/.test(call) ? new Response(file) : undefined;
    for (const rowCount of [0, 7]) {
      const cursor = await cursorOf(new FakeResult({ rowCount, fault }));
      const bytes = await cursor.toParquet({ offset: Math.min(3, rowCount), rowCount: 0 });
      expect(textOf([bytes])).toBe(textOf([file]));
    }
  });
});

describe('pages of a walk', () => {
  it('pages of a walk cover its rows exactly, in order, whatever the page size', () => {
    const stretch = fc.tuple(fc.nat(50), fc.nat(50), fc.integer({ min: 1, max: 60 }), fc.boolean());
    fc.assert(
      fc.property(stretch, ([start, length, pageSize, backward]) => {
        const pages = [...planPages({ start, end: start + length, pageSize, backward })];
        if (backward) pages.reverse();
        const rows = pages.flatMap(({ offset, rowCount }) =>
          Array.from({ length: rowCount }, (_, index) => offset + index),
        );
        expect(rows).toEqual(Array.from({ length }, (_, index) => start + index));
        expect(pages.every(({ rowCount }) => rowCount >= 1 && rowCount <= pageSize)).toBe(true);
        expect(pages.length).toBe(Math.ceil(length / pageSize));
      }),
    );
  });
});

describe('a piece of a document', () => {
  const middle = { isFirst: false, isLast: false };

  it('a piece of a document of CSV without a header is refused', () => {
    expect(() => pieceOf('csv', new TextEncoder().encode('"a\nb'), middle)).toThrow(
      expect.objectContaining({ code: 'UNEXPECTED_RESPONSE' }),
    );
  });

  it.each<[readonly number[], string]>([
    [[], 'An Arrow page has no schema.'],
    [[1, 2, 3, 4, 0, 0, 0, 0], 'An Arrow page has no schema.'],
    [[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], 'An Arrow page has no end-of-stream marker.'],
    [
      [0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0],
      'An Arrow page has no end-of-stream marker.',
    ],
  ])('a piece of a document of Arrow that is %j is refused', (bytes, message) => {
    expect(() => pieceOf('arrow', Uint8Array.from(bytes), middle)).toThrow(
      expect.objectContaining({ code: 'UNEXPECTED_RESPONSE', message }),
    );
  });
});
