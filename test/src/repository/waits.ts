/** The tests and their helpers that wait for real time, and why they have to. */
export const waitsForRealTime: Readonly<Record<string, string>> = {
  'packages/core/test/system-clock.test.ts': 'the clock of the machine is its subject',
  'packages/table-server/test/consistent-halves.test.ts':
    'its clock runs fifty times as fast as the real one, for a server with disks and threads',
  'test/src/cleaner/cleaner-traffic.ts': 'paces the writers and readers of a real process',
  'test/src/client/client-page.process.ts': 'a page in a browser, which has a time limit to abort',
  'test/src/tables/killed-producer.process.ts': 'paces a producer in a process of its own',
  'test/src/tables/live-tables.ts': 'paces a producer beside a real process',
  'test/src/testkit/hanging-file-system.ts': 'keeps a process alive that is to be killed',
  'test/src/testkit/planted-case.ts': 'says of a call that never ends that it hangs',
  'test/src/testkit/remote-backends.ts': 'retries to a real server, sooner than a broker does',
  'test/src/soak/jumping-clock.ts': 'a clock that runs as the system’s does between its jumps',
  'test/src/history/real-cluster.ts': 'faults last for a while, and users pause between calls',
  'test/src/repository/result-users.ts': 'paces users beside real processes that start',
  'test/src/testkit/servers/fault-proxy.ts': 'delays requests to a real server',
  'test/src/testkit/servers/pinot-watch.ts':
    'dumps the threads of a real cluster, whose own answer then never comes',
  'test/src/testkit/until.ts': 'the one place that polls',
};

/** The forbidden calls of a test, and their replacements. */
const forbidden: readonly (readonly [pattern: RegExp, what: string, isAllowedByName: boolean])[] = [
  [
    /\b(?:setTimeout|setInterval|AbortSignal\.timeout)\((?!\))|\bsystemClock\.sleep\b/,
    'waits for real time: wait for an event, `until` or `expect.poll`, or move a ManualClock',
    true,
  ],
  [/\bsetTimeout\b.*from 'node:timers/, 'imports a timer: wait for an event', false],
  [
    /\bvi\.waitUntil\(|\bvi\.waitFor\((?![^]*\bpatience\b)/,
    'gives up after a second: use `expect.poll`, or `vi.waitFor` with `patience`',
    false,
  ],
  [/\bretry: \d|\bretry = \d|--retry\b/, 'runs a failed test again: cure its cause', false],
  [
    /\{ timeout: (?:[^,}]*[?:] )?(?:\d{1,2}_?\d{3}|1[0-7]\d_?\d{3})(?: [+*}]| :)|^ *\}, (?:\d{1,2}_?\d{3}|1[0-7]\d_?\d{3})\);$/m,
    'has a limit of its own that a loaded machine exceeds: the limits of all tests are longer',
    false,
  ],
  [
    /\b(?:test|hook)Timeout: (?:\d{1,2}_?\d{3}|[12]\d\d_?\d{3})\b/,
    'shortens the limit that vitest.config.ts gives all tests',
    false,
  ],
  [
    /^const timeout(?:Ms)? = (?:\d{1,2}_?\d{3}|1[0-7]\d_?\d{3})\b|\buntil\([^;]*,\s*(?:\d{1,2}_?\d{3}|1[01]\d_?\d{3}),?\s*\)/m,
    'has a limit of its own that a loaded machine exceeds: the limits of all tests are longer',
    false,
  ],
];

/** Returns the problems of the waits in a test or its helper, as sentences. */
export function problemsOfWaits(path: string, text: string): string[] {
  return forbidden
    .filter(([, , isAllowedByName]) => !isAllowedByName || waitsForRealTime[path] === undefined)
    .filter(([pattern]) => pattern.test(text))
    .map(([, what]) => `${path} ${what}`);
}
