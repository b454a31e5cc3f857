import { expect, test, vi } from 'vitest';
import recorded from './recorded/consumption.json' with { type: 'json' };
import { type ReplayedController, replay } from './replayed-controller.ts';

const [first, second] = ['rivers__0__0__20261123T0352Z', 'rivers__1__0__20261123T0352Z'];
const table = '/tables/rivers_REALTIME';
const view = `${table}/externalview?tableType=REALTIME`;
const consuming = { Server_1: 'CONSUMING' };
const both = { REALTIME: { [first]: consuming, [second]: consuming } };
/** An answer of Apache Pinot 1.5.1, of a table that was just created. */
const unsent = {
  status: 500,
  text: '{"code":500,"error":"No force commit message sent for table: rivers_REALTIME"}',
};
const missing = { status: 404, text: '{"code":404,"error":"Table not found"}' };
const base = {
  ...recorded.healthy,
  [`${table}/idealstate?tableType=REALTIME`]: both,
  [view]: both,
  '/tables/forceCommitStatus/job-1': {
    tableName: 'rivers_REALTIME',
    segmentsForceCommitted: JSON.stringify([first, second]),
    segmentsYetToBeCommitted: [],
  },
};
const requests = [
  {
    name: 'forced commit',
    path: `POST ${table}/forceCommit`,
    answer: { forceCommitJobId: 'job-1' },
    ask: ({ engine }: ReplayedController) => engine.forceCommit('rivers_REALTIME'),
    expected: { jobId: 'job-1', segmentNames: [first, second] },
  },
  {
    name: 'pause',
    path: `POST ${table}/pauseConsumption`,
    answer: {},
    ask: ({ engine }: ReplayedController) => engine.pauseConsumption('rivers_REALTIME'),
    expected: { segmentNames: [first, second] },
  },
];

/** Answers of which one changes with each call, until the last. */
function changing(path: string, answers: readonly unknown[], more: object = {}): typeof base {
  let callCount = 0;
  return Object.defineProperty({ ...base, ...more }, path, {
    get: () => answers[Math.min((callCount += 1), answers.length) - 1],
  });
}

/** Lets the time pass until the cluster is asked again, as often as given. */
async function passTime({ clock }: ReplayedController, times: number, ms = 200): Promise<void> {
  const sleep = vi.spyOn(clock, 'sleep');
  for (let count = 1; count <= times; count += 1) {
    await expect.poll(() => sleep.mock.calls.filter(([each]) => each === 200)).toHaveLength(count);
    await clock.advance(ms);
  }
}

const countOf = ({ calls }: ReplayedController, path: string): number =>
  calls.filter((call) => call === path).length;

test.each(requests)(
  'a $name is sent once the cluster sees a server of each consuming segment: it would not reach others later',
  async ({ path, answer, ask, expected }) => {
    const half = { REALTIME: { [first]: consuming } };
    await using cluster = await replay(changing(view, [missing, half, both], { [path]: answer }));
    const asked = ask(cluster);
    await passTime(cluster, 2);
    expect(await asked).toMatchObject(expected);
    expect(countOf(cluster, `GET ${view}`)).toBe(3);
    expect(countOf(cluster, path)).toBe(1);
  },
);

test.each(requests)(
  'a $name that the cluster sent to no server is sent again',
  async ({ path, answer, ask, expected }) => {
    await using cluster = await replay(changing(path, [unsent, unsent, answer]));
    const asked = ask(cluster);
    await passTime(cluster, 2);
    expect(await asked).toMatchObject(expected);
    expect(countOf(cluster, path)).toBe(3);
  },
);

test.each(requests)(
  'a $name waits half a minute for a segment whose servers are down',
  async ({ path, answer, ask, expected }) => {
    const half = { REALTIME: { [first]: consuming } };
    await using cluster = await replay({ ...base, [view]: half, [path]: answer });
    const asked = ask(cluster);
    await passTime(cluster, 2, 15_000);
    expect(await asked).toMatchObject(expected);
    expect(countOf(cluster, path)).toBe(1);
  },
);

test.each(requests)(
  'a $name that no server receives for a minute is to be retried by its caller',
  async ({ path, ask }) => {
    await using cluster = await replay({ ...base, [path]: unsent });
    const asked = ask(cluster);
    asked.catch(() => undefined);
    await passTime(cluster, 4, 20_000);
    await expect(asked).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'No server of Apache Pinot accepts the request to commit rivers_REALTIME.',
    });
  },
);

test.each(requests)('a $name that the cluster refuses is not sent again', async (request) => {
  const text = '{"code":500,"error":"Force commit disabled for table: rivers_REALTIME"}';
  await using cluster = await replay({ ...base, [request.path]: { status: 500, text } });
  await expect(request.ask(cluster)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(countOf(cluster, request.path)).toBe(1);
});

const pauseStatus = `${table}/pauseStatus`;
const resumption = `POST ${table}/resumeConsumption?consumeFrom=lastConsumed`;
const paused = { pauseFlag: true, consumingSegments: [first, second] };

test('a resumption waits for the commits of the pause before it: partitions that commit meanwhile would not be started', async () => {
  const half = { ...paused, consumingSegments: [second] };
  const ended = { ...paused, consumingSegments: [] };
  await using cluster = await replay(
    changing(pauseStatus, [paused, half, ended], { [resumption]: {} }),
  );
  const asked = cluster.engine.resumeConsumption('rivers_REALTIME');
  await passTime(cluster, 2);
  await asked;
  const before = cluster.calls.slice(0, cluster.calls.indexOf(resumption));
  expect(before.filter((call) => call === `GET ${pauseStatus}`)).toHaveLength(3);
});

test('a resumption waits half a minute for segments that no server commits', async () => {
  await using cluster = await replay({ ...base, [pauseStatus]: paused, [resumption]: {} });
  const asked = cluster.engine.resumeConsumption('rivers_REALTIME');
  await passTime(cluster, 2, 15_000);
  await asked;
  expect(countOf(cluster, resumption)).toBe(1);
});
