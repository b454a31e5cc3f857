import type { Member } from './member.ts';

/**
 * Lists the addresses of the processes, and commands that work as printed, in the order in which to
 * try them.
 */
export function renderCluster(members: readonly Member[], logFolder: string): string {
  const width = Math.max(...members.map(({ name }) => name.length));
  const urlOf = (wanted: string): string => members.find(({ name }) => name === wanted)?.url ?? '';
  const [proxy, controller] = [urlOf('proxy'), urlOf('controller')];
  const admin = '-H "Authorization: Bearer quickstart-admin"';
  return [
    '',
    ...members.map(
      ({ name, url = '', pid }) =>
        `  ${name.padEnd(width)}  ${url.padEnd(29)}  process ${pid ?? '?'}`,
    ),
    `  ${'console'.padEnd(width)}  ${controller}/console`,
    `  ${'logs'.padEnd(width)}  ${logFolder}`,
    '',
    '# Run a query through the proxy, and keep the id of its result.',
    `id=$(curl -s '${proxy}/query/sql?doPaginate=true&numRows=1' \\`,
    `  ${admin} -H 'Content-Type: application/json' \\`,
    `  -d '{"sql": "SELECT * FROM flights"}' | sed 's/.*"requestId":"\\([^"]*\\)".*/\\1/')`,
    '',
    '# Read any page of it.',
    `curl -s ${admin} "${proxy}/query/$id/results?offset=1500000&numRows=3"; echo`,
    '',
    '# Kill a broker and read on: the other one serves every page.',
    `kill -9 ${members.find(({ name }) => name === 'broker-1')?.pid ?? ''}`,
    `curl -s ${admin} "${proxy}/query/$id/results?offset=1500003&numRows=3"; echo`,
    '',
    '# Ask the controller for the health of the brokers, and when they were cleaned.',
    `curl -s ${admin} ${controller}/cluster/health; echo`,
    '',
    'Ctrl-C stops all of it.',
  ].join('\n');
}
