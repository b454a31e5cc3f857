import { type Static, Type } from 'typebox';

/** The settings that a process runs with. */
export const SettingsResponse = Type.Object(
  {
    settings: Type.Array(
      Type.Object({
        key: Type.String({ description: 'Key of the setting.' }),
        value: Type.String({
          description:
            'As it would stand in a file; of a secret only that it is hidden; empty where it is not set.',
        }),
        source: Type.String({
          description:
            'Where the value comes from: a line of the file, a variable, an option, the default.',
        }),
        isDefault: Type.Boolean({ description: 'Whether nobody has set it.' }),
        isLive: Type.Boolean({
          description: 'Whether a change of the file holds without a restart.',
        }),
      }),
      { description: 'All of them, in the order of the reference.' },
    ),
    problems: Type.Array(Type.String(), {
      description: 'What is wrong with the file as it is now; the last good settings hold.',
    }),
  },
  { $id: 'SettingsResponse', description: 'The settings in force.' },
);
export type SettingsResponse = Static<typeof SettingsResponse>;
