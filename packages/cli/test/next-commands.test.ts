import { expect, test } from 'vitest';
import { nextByCommands } from '../src/tables/next-commands.ts';

test.each([
  [
    'a_REALTIME consumes its stream. To cancel: DELETE /tables/b_REALTIME/restream.',
    'a_REALTIME consumes its stream. To cancel: quire tables restream cancel b_REALTIME.',
  ],
  [
    'Check it, and then: DELETE /tables/b_REALTIME/restream?dropDestination=true.',
    'Check it, and then: quire tables restream cancel b_REALTIME --drop.',
  ],
  [
    'It waits to be resumed: POST /tables/b_REALTIME/restream/resume.',
    'It waits to be resumed: quire tables restream resume b_REALTIME.',
  ],
  [
    'a_REALTIME serves queries. When b_REALTIME is no longer used: DELETE /tables/b_REALTIME.',
    'a_REALTIME serves queries. When b_REALTIME is no longer used: quire tables delete b_REALTIME.',
  ],
  [
    'To let it consume: POST /tables/a_REALTIME/resumeConsumption.',
    'To let it consume: quire tables resume a_REALTIME.',
  ],
  ['It makes a_REALTIME.', 'It makes a_REALTIME.'],
])('the next step of a restream names commands: %s', (next, expected) => {
  expect(nextByCommands(next)).toBe(expected);
});
