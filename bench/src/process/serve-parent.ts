import type { Answer } from './child.ts';

/** Answers the parent's requests in turn until it ends; then disposes of the handler. */
export function serveParent(
  answer: (request: unknown) => Promise<unknown>,
  end: () => Promise<void>,
): void {
  let last: Promise<unknown> = Promise.resolve();
  process.on('message', ({ id, request }: { id: number; request: unknown }) => {
    last = last.then(async () => {
      const reply = await answerOne(id, request, answer);
      if (process.connected) process.send?.(reply);
    });
  });
  process.on('disconnect', () => {
    last
      .then(end)
      // A profile is written only at an orderly end, which open handles must not prevent.
      .then(() => process.exit())
      .catch((error: unknown) => {
        console.error(error);
        process.exit(1);
      });
  });
}

/** The value that the parent passed to this process at its start. */
export function argumentOfParent(): unknown {
  return JSON.parse(process.argv[2] ?? 'null');
}

async function answerOne(
  id: number,
  request: unknown,
  answer: (request: unknown) => Promise<unknown>,
): Promise<Answer> {
  try {
    return { id, value: await answer(request) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
