import type { OwnedResult, StoredResult } from '@quire/api';
import type { Call } from '../call.ts';
import { codeOf } from '../widgets/states.tsx';

/** The codes that reads of a deleted or expired result are answered with. */
const goneCodes: readonly (string | undefined)[] = [
  'RESULT_NOT_FOUND',
  'RESULT_EXPIRED',
  'RESULT_DELETED',
  'RESULT_EVICTED',
];
const callsAtOnce = 8;

/**
 * The stored results of queries that were run in this browser, newest first: those of the ids that
 * are still there.
 */
export async function readOwnResults(
  call: Call,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly StoredResult[]> {
  const found: StoredResult[] = [];
  for (let start = 0; start < ids.length; start += callsAtOnce) {
    const read = await Promise.all(
      ids.slice(start, start + callsAtOnce).map((id) => readOne(call, id, signal)),
    );
    found.push(...read.filter((result) => result !== undefined));
  }
  return found.toSorted((one, other) => other.submissionTimeMs - one.submissionTimeMs);
}

async function readOne(
  call: Call,
  id: string,
  signal: AbortSignal,
): Promise<OwnedResult | undefined> {
  try {
    const path = `/query/resultStore/${encodeURIComponent(id)}`;
    return (await call(path, { signal })) as unknown as OwnedResult;
  } catch (error) {
    if (goneCodes.includes(codeOf(error))) return undefined;
    throw error;
  }
}
