import { pointerTo } from '../json-pointer.ts';
import type { TableRule } from './rule.ts';

const memberNames = [
  'inputDirURI',
  'outputDirURI',
  'stagingDirURI',
  'includeFileNamePattern',
  'excludeFileNamePattern',
  'inputFormat',
  'overwriteOutput',
  'searchRecursively',
];
/** Beginnings of the names of options that go to a plug-in. */
const memberPrefixes = ['input.fs.', 'output.fs.', 'recordReader.', 'segmentNameGenerator.', 'push.', 'batch.', 'fs.', 'append.'];

/** Rules about where files of a table come from. */
export const batchRules: readonly TableRule[] = [
  {
    code: 'BATCH_CONFIG_MEMBER',
    subject: 'ingestion',
    severity: 'warning',
    description: `Members of batchConfigMaps are ${memberNames.join(', ')}, or begin with ${memberPrefixes.join(', ')}.`,
    *check({ config }) {
      for (const [index, map] of (config.ingestionConfig?.batchIngestionConfig?.batchConfigMaps ?? []).entries()) {
        for (const name of Object.keys(map)) {
          if (memberNames.includes(name) || memberPrefixes.some((prefix) => name.startsWith(prefix))) continue;
          const path = pointerTo('/ingestionConfig/batchIngestionConfig/batchConfigMaps', index, name);
          yield { path, message: `Nothing reads ${name}.` };
        }
      }
    },
  },
];
