import { type Random, systemRandom } from '@quire/core';

/** Bytes of the names that a file store gives to files on their way (`@quire/store-file`). */
const nameBytes = 12;

/** Makes the names of files that a worker writes begin with the mark of its broker and its process id: so they are found when it has died. */
export function randomOfWorker(mark: string, pid: number): Random {
  return {
    ...systemRandom,
    bytes: (count) => {
      if (count !== nameBytes) return systemRandom.bytes(count);
      const own = Buffer.from(prefixOf(mark, pid), 'hex');
      return Buffer.concat([own, systemRandom.bytes(count - own.byteLength)]);
    },
  };
}

/** What the names of a worker's files begin with: the mark of its broker, eight hexadecimal digits, and its process id as many. */
export function prefixOf(mark: string, pid: number): string {
  return `${mark}${pid.toString(16).padStart(8, '0')}`;
}

/** A mark that no other broker has. */
export function createMark(random: Random): string {
  return Buffer.from(random.bytes(4)).toString('hex');
}
