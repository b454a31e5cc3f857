import { join } from 'node:path';
import { type ComparisonReport, quire, reportComparison } from '../measure/comparison.ts';
import type { Part } from '../measure/part.ts';
import { sourceProgram } from '../quire/quire-server.ts';
import { compareProtocols } from './compare-protocols.ts';
import { measureStart, type Start } from './measure-start.ts';

/** A contender: its name, and the arguments of Node; the command by default. */
interface Program {
  readonly name: string;
  readonly program?: readonly string[];
}

/**
 * Measures the time of `quire start` until it listens, and its memory then; compared with a server
 * of Node that does nothing.
 */
export const startPart: Part = {
  name: 'start',
  title: 'Starting a server',
  async run({ isQuick, scratch, tables, progress }) {
    const programs: readonly Program[] = [
      { name: quire },
      { name: 'quire from its sources', program: sourceProgram },
      { name: 'bare node:http', program: [join(import.meta.dirname, 'bare.process.ts')] },
    ];
    const path = await tables.parquet('mixed', isQuick ? 500 : 10_000);
    const starts = programs.map((): Start[] => []);
    const roundCount = isQuick ? 1 : 4;
    for (let round = 0; round < roundCount; round += 1) {
      for (const [index, { name, program }] of programs.entries()) {
        progress(`starts ${name}: ${Math.round((100 * round) / roundCount)} %`);
        const directory = join(scratch, `${round}-${index}`);
        const options = {
          settings: {},
          directory,
          tables: { mixed: path },
          ...(program !== undefined && { program }),
        };
        starts[index]?.push(await measureStart(options, isQuick ? 100 : 700));
      }
    }
    const report = (
      id: string,
      title: string,
      unit: 'ms' | 'MB',
      valueOf: (start: Start) => number,
    ): ComparisonReport =>
      reportComparison(
        { id, title, unit, factor: 'server', comparesLevels: false },
        programs.map(({ name }, index) => ({
          level: 'one table',
          name,
          rounds: (starts[index] ?? []).map((start) => [valueOf(start)]),
        })),
      );
    const protocols = await compareProtocols({ isQuick, scratch, progress }, { mixed: path });
    return {
      comparisons: [
        report(
          'start-time',
          'Time from the start of the process until it listens',
          'ms',
          ({ elapsedMs }) => elapsedMs,
        ),
        report('start-memory', 'Resident memory when idle', 'MB', ({ megabytes }) => megabytes),
        ...protocols.comparisons,
      ],
      notes: protocols.notes,
    };
  },
};
