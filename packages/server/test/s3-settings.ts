import { loadSettings, type Settings } from '@quire/settings';

/** Returns settings with an S3 server on a loopback port. */
export async function s3Settings(port: number, overrides: readonly string[]): Promise<Settings> {
  const outcome = await loadSettings({
    environment: {},
    overrides: [
      `engine.broker.pagination.s3.endpoint=http://127.0.0.1:${port}`,
      'engine.broker.pagination.s3.access.key=key',
      'engine.broker.pagination.s3.secret.key=secret',
      'engine.broker.pagination.s3.path.style=true',
      ...overrides,
    ],
    workingDir: '/',
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return outcome.settings;
}
