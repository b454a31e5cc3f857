import type { BrokerOptions } from '@quire/broker';
import { engineKindOf } from '../engines/engine-kinds.ts';
import type { LiveSettings } from '../live-settings.ts';

/**
 * Returns the languages of the engine in the settings, and that of each principal. A plug-in engine
 * has its own.
 */
export function dialectsOf(live: LiveSettings): Pick<BrokerOptions, 'dialects'> {
  if (live.current.engine.modulePath !== undefined) return {};
  const known = engineKindOf(live.current).dialects;
  const [only, more] = known;
  if (only !== undefined && more === undefined) {
    return { dialects: { known, defaultOf: () => only } };
  }
  return {
    dialects: {
      known,
      defaultOf: (principalName) => {
        const { principals, engine } = live.current;
        return principals.find(({ name }) => name === principalName)?.dialect ?? engine.dialect;
      },
    },
  };
}
