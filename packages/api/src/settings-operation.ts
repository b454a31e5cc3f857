import { errorResponses, type Operation, responseOf } from './operation.ts';
import { settingsPattern } from '@quire/core/wire';
import { refer } from './reference.ts';
import { SettingsResponse } from './settings-response.ts';

/**
 * The call that returns a broker's settings. A broker started by a program without a settings file
 * does not have it.
 */
export const settingsOperation: Operation = {
  method: 'GET',
  path: settingsPattern,
  schema: {
    operationId: 'readBrokerSettings',
    summary: 'Read the settings in force',
    description:
      "The settings of this broker's process, with the source of each. Secrets are hidden. For admins.",
    tags: ['service'],
    response: {
      200: responseOf('The settings.', 'application/json', refer(SettingsResponse)),
      ...errorResponses('FORBIDDEN'),
    },
  },
};
