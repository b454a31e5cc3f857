import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';

/** The settings that a process runs with. */
export const SettingsResponse = Type.Object(
  {
    settings: Type.Array(
      Type.Object({
        key: Type.String({ description: 'Key of the setting.' }),
        value: Type.String({
          description:
            'The value as in a file; for a secret, only that it is hidden; empty if it is not set.',
        }),
        source: Type.String({
          description:
            'Source of the value: a line of the file, a variable, an option, the default.',
        }),
        isDefault: Type.Boolean({ description: 'Whether the value is the default.' }),
        isLive: Type.Boolean({
          description: 'Whether a change in the file takes effect without a restart.',
        }),
      }),
      { description: 'All settings, in the order of the reference.' },
    ),
    problems: Type.Array(Type.String(), {
      description: 'Problems of the current file; the last valid settings stay in force.',
    }),
  },
  { $id: 'SettingsResponse', description: 'The settings in force.' },
);
export type SettingsResponse = Static<typeof SettingsResponse>;
