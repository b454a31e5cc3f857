import { appendFile, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ManualClock } from '@quire/core/testing';
import { FileProducer, FileStream, type NewMessage } from '@quire/streams';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';

const limits = { messagesMax: 1000, bytesMax: 1_000_000, waitMs: 0 };
const topic = 'orders';

function messagesOf(...texts: readonly string[]): readonly NewMessage[] {
  return texts.map((text) => ({ key: null, value: Buffer.from(text) }));
}

/** Returns offsets and texts of all messages from an offset. */
async function readAll(
  stream: FileStream,
  fromOffset = 0,
  partition = 0,
): Promise<readonly (readonly [number, string])[]> {
  const found: [number, string][] = [];
  for (let offset = fromOffset; ;) {
    const { messages, nextOffset } = await stream.fetch(partition, offset, limits);
    found.push(
      ...messages.map(({ offset: at, value }): [number, string] => [
        at,
        Buffer.from(value ?? []).toString(),
      ]),
    );
    if (nextOffset === offset) return found;
    offset = nextOffset;
  }
}

/** Creates a topic whose only partition contains exactly this text, written by another program. */
async function topicWith(directory: string, text: string): Promise<FileStream> {
  await mkdir(join(directory, topic));
  await writeFile(join(directory, topic, '0.jsonl'), text);
  return new FileStream({ directory, topic });
}

describe('a file stream', () => {
  test('a file stream has the byte of a line as offset, and knows nothing of keys, or of times that nobody noted', async () => {
    await using directory = await temporaryDirectory();
    const stream = await topicWith(directory.path, '{"a":1}\n{"é":2}\n');
    const value = (text: string): Buffer => Buffer.from(text);
    expect(await stream.fetch(0, 0, limits)).toEqual({
      messages: [
        { offset: 0, key: null, value: value('{"a":1}'), timestampMs: null },
        { offset: 8, key: null, value: value('{"é":2}'), timestampMs: null },
      ],
      nextOffset: 17,
      latestOffset: 17,
    });
    expect(await stream.findOffset(0, 0)).toBe(17);
  });

  test('a file stream leaves a line alone until its newline comes', async () => {
    await using directory = await temporaryDirectory();
    const stream = await topicWith(directory.path, '{"a":1}\n{"b"');
    expect(await stream.readPartitions()).toEqual([
      { partition: 0, earliestOffset: 0, latestOffset: 8 },
    ]);
    expect(await readAll(stream)).toEqual([[0, '{"a":1}']]);
    await appendFile(join(directory.path, topic, '0.jsonl'), ':2}');
    expect(await readAll(stream, 8)).toEqual([]);
    await appendFile(join(directory.path, topic, '0.jsonl'), '\n');
    expect(await readAll(stream, 8)).toEqual([[8, '{"b":2}']]);
  });

  test('a file stream has a line that has replaced an incomplete one of its length', async () => {
    await using directory = await temporaryDirectory();
    const stream = await topicWith(directory.path, '{"a":1}\n{"b"');
    expect(await readAll(stream)).toEqual([[0, '{"a":1}']]);
    await using producer = await FileProducer.open({ directory: directory.path, topic });
    await producer.append(messagesOf('{ }'));
    expect(await readAll(stream, 8)).toEqual([[8, '{ }']]);
  });

  test('a file stream passes over blank lines, and takes carriage returns off', async () => {
    await using directory = await temporaryDirectory();
    const stream = await topicWith(directory.path, '\n{"a":1}\r\n\r\n\n\n{"b":2}\n\n');
    expect(await readAll(stream)).toEqual([
      [1, '{"a":1}'],
      [14, '{"b":2}'],
    ]);
    expect(await stream.countMessages(0, 0, 23)).toBe(2);
    expect(await stream.countMessages(0, 1, 14)).toBe(1);
  });

  test('a file stream goes on with the next line from an offset within one', async () => {
    await using directory = await temporaryDirectory();
    const stream = await topicWith(directory.path, '{"a":1}\n{"b":2}\n');
    expect(await readAll(stream, 3)).toEqual([[8, '{"b":2}']]);
    expect(await stream.countMessages(0, 3, 16)).toBe(1);
  });

  test('a file stream counts the lines of a large file, again and as it grows', async () => {
    await using directory = await temporaryDirectory();
    const lines = Array.from({ length: 60_000 }, (_, index) =>
      JSON.stringify({ index, pad: 'x'.repeat(50) }),
    );
    const stream = await topicWith(directory.path, `${lines.join('\n')}\n`);
    const [{ latestOffset } = { latestOffset: 0 }] = await stream.readPartitions();
    expect(latestOffset).toBeGreaterThan(3 * 1024 * 1024);
    expect(await stream.countMessages(0, 0, latestOffset)).toBe(60_000);
    const middle = Buffer.byteLength(lines.slice(0, 30_000).join('\n')) + 1;
    expect(await stream.countMessages(0, middle, latestOffset)).toBe(30_000);
    await appendFile(join(directory.path, topic, '0.jsonl'), '{"a":1}\n{"a":2}\n');
    expect(await stream.countMessages(0, 0, latestOffset + 16)).toBe(60_002);
    expect(await stream.countMessages(0, 0, middle)).toBe(30_000);
  });

  test('a file stream finds another file instead of the one it knew', async () => {
    await using directory = await temporaryDirectory();
    const stream = await topicWith(directory.path, '{"a":1}\n{"a":2}\n');
    expect(await readAll(stream)).toHaveLength(2);
    await truncate(join(directory.path, topic, '0.jsonl'));
    expect(await stream.readPartitions()).toEqual([
      { partition: 0, earliestOffset: 0, latestOffset: 0 },
    ]);
    await expect(stream.fetch(0, 16, limits)).rejects.toMatchObject({ code: 'OFFSET_NOT_FOUND' });
  });

  test.each(['', '.', '..', '../other', 'a/b', 'a b', 'x'.repeat(250), 'a\0'])(
    'a file stream refuses the topic %j',
    (name) => {
      expect(() => new FileStream({ directory: '/nowhere', topic: name })).toThrow(
        expect.objectContaining({
          code: 'STREAM_INVALID',
          message: expect.stringContaining(JSON.stringify(name)) as string,
        }),
      );
    },
  );

  test('a file stream does not take other files for partitions', async () => {
    await using directory = await temporaryDirectory();
    const stream = await topicWith(directory.path, '');
    for (const name of [
      '00.jsonl',
      '-1.jsonl',
      'x.jsonl',
      '1.json',
      '1.jsonl.gz',
      '1.01.jsonl',
      '.lock',
    ]) {
      await writeFile(join(directory.path, topic, name), '{"a":1}\n');
    }
    expect((await stream.readPartitions()).map(({ partition }) => partition)).toEqual([0]);
  });
});

describe('a file producer', () => {
  test.each([
    [
      'a whole object that lacks its newline',
      '{"a":1}\n{"b":2}',
      ['{"a":1}', '{"b":2}', '{"c":3}'],
    ],
    ['a part of an object', '{"a":1}\n{"b":2', ['{"a":1}', '{"c":3}']],
    [
      'a part of a text in several bytes',
      Buffer.from('{"a":1}\n{"b":"é').subarray(0, -1),
      ['{"a":1}', '{"c":3}'],
    ],
    ['what could be the beginning of a longer number', '{"a":1}\n12', ['{"a":1}', '{"c":3}']],
    ['only a part', '{"b', ['{"c":3}']],
    [
      'a part that is longer than what is read at once',
      `{"a":1}\n{"b":"${'x'.repeat(200_000)}`,
      ['{"a":1}', '{"c":3}'],
    ],
  ])('a file producer mends what a killed one has left: %s', async (_what, left, expected) => {
    await using directory = await temporaryDirectory();
    const stream = await topicWith(directory.path, '');
    await writeFile(join(directory.path, topic, '0.jsonl'), left);
    await using producer = await FileProducer.open({ directory: directory.path, topic });
    await producer.append(messagesOf('{"c":3}'));
    expect((await readAll(stream)).map(([, text]) => text)).toEqual(expected);
  });

  test('a file producer mends times that are written in part', async () => {
    await using directory = await temporaryDirectory();
    const clock = new ManualClock({ nowMs: 1000 });
    await using producer = await FileProducer.open({ directory: directory.path, topic, clock });
    await producer.append(messagesOf('{"a":1}'));
    await appendFile(join(directory.path, topic, '0.times'), Buffer.alloc(9, 1));
    clock.stepWallClock(1000);
    await producer.append(messagesOf('{"a":2}'));
    clock.stepWallClock(-1500);
    await producer.append(messagesOf('{"a":3}'));
    const { messages } = await new FileStream({ directory: directory.path, topic }).fetch(
      0,
      0,
      limits,
    );
    expect(messages.map(({ timestampMs }) => timestampMs)).toEqual([1000, 2000, 2000]);
  });

  test('a file producer refuses what cannot be a line, and then writes none of the batch', async () => {
    await using directory = await temporaryDirectory();
    await using producer = await FileProducer.open({ directory: directory.path, topic });
    for (const bad of ['', '{\n}']) {
      await expect(producer.append(messagesOf('{"a":1}', bad))).rejects.toMatchObject({
        code: 'STREAM_INVALID',
      });
    }
    const outside = { key: null, value: Buffer.from('{}'), partition: 5 };
    await expect(producer.append([...messagesOf('{"a":1}'), outside])).rejects.toMatchObject({
      code: 'STREAM_INVALID',
    });
    expect(await readFile(join(directory.path, topic, '0.jsonl'), 'utf8')).toBe('');
  });

  test('a file producer sends messages of one key to one partition, others in turn', async () => {
    await using directory = await temporaryDirectory();
    await using producer = await FileProducer.open({
      directory: directory.path,
      topic,
      partitionCount: 3,
    });
    const stream = new FileStream({ directory: directory.path, topic });
    await producer.append(messagesOf('0', '1', '2', '3', '4', '5'));
    const keyed = Array.from({ length: 30 }, (_, index) => {
      return {
        key: Buffer.from(`k${index % 5}`),
        value: Buffer.from(JSON.stringify({ key: index % 5 })),
      };
    });
    await producer.append(keyed);
    const partitions = await Promise.all(
      [0, 1, 2].map((partition) => readAll(stream, 0, partition)),
    );
    const texts = partitions.map((messages) => messages.map(([, text]) => text));
    expect(texts.map((each) => each.slice(0, 2))).toEqual([
      ['0', '3'],
      ['1', '4'],
      ['2', '5'],
    ]);
    const places = texts.flatMap((each, partition) =>
      [...new Set(each.slice(2))].map((text) => [text, partition] as const),
    );
    expect(new Map(places).size).toBe(places.length);
    expect(places).toHaveLength(5);
  });

  test('a file producer keeps so many bytes of a partition; what went is OFFSET_NOT_FOUND, and offsets go on', async () => {
    await using directory = await temporaryDirectory();
    const retentionBytes = 8000;
    await using producer = await FileProducer.open({
      directory: directory.path,
      topic,
      retentionBytes,
    });
    const stream = new FileStream({ directory: directory.path, topic });
    const texts = Array.from({ length: 1000 }, (_, index) =>
      JSON.stringify({ index, pad: 'x'.repeat(20) }),
    );
    for (let start = 0; start < texts.length; start += 10) {
      await producer.append(messagesOf(...texts.slice(start, start + 10)));
    }
    const written = texts.reduce((sum, text) => sum + text.length + 1, 0);
    const [{ earliestOffset, latestOffset } = { earliestOffset: 0, latestOffset: 0 }] =
      await stream.readPartitions();
    expect(latestOffset).toBe(written);
    expect(latestOffset - earliestOffset).toBeGreaterThanOrEqual(retentionBytes);
    expect(latestOffset - earliestOffset).toBeLessThan(retentionBytes * 1.5);
    const kept = (await readAll(stream, earliestOffset)).map(([, text]) => text);
    expect(kept).toEqual(texts.slice(-kept.length));
    expect(await stream.countMessages(0, earliestOffset, latestOffset)).toBe(kept.length);
    await expect(stream.fetch(0, 0, limits)).rejects.toMatchObject({ code: 'OFFSET_NOT_FOUND' });
    const names = await readdir(join(directory.path, topic));
    expect(names.filter((name) => name.endsWith('.times')).length).toBe(
      names.filter((name) => name.endsWith('.jsonl')).length,
    );
  });

  test('a file producer shares a topic with others: batches of several, at once, do not mix', async () => {
    await using directory = await temporaryDirectory();
    const producers = await Promise.all(
      Array.from({ length: 4 }, () => FileProducer.open({ directory: directory.path, topic })),
    );
    await Promise.all(
      producers.flatMap((producer, who) =>
        Array.from({ length: 20 }, (_, batch) =>
          producer.append(messagesOf(...[0, 1, 2].map((n) => JSON.stringify({ who, batch, n })))),
        ),
      ),
    );
    const rows = (await readAll(new FileStream({ directory: directory.path, topic }))).map(
      ([, text]) => JSON.parse(text) as { who: number; batch: number; n: number },
    );
    expect(rows).toHaveLength(240);
    for (let index = 0; index < rows.length; index += 3) {
      const [first, second, third] = rows.slice(index, index + 3);
      expect([second, third]).toEqual([
        { ...first, n: 1 },
        { ...first, n: 2 },
      ]);
    }
  });
});
