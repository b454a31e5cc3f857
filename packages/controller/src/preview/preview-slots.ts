import type { FairSlots } from '@quire/core/wait';
import { createSharedSlots } from '@quire/service';
import { type ControllerPreviewOptions, previewDefaults } from '../preview-options.ts';

/** Creates the slots for previews, which principals share. */
export function createPreviewSlots(controller: {
  readonly preview?: ControllerPreviewOptions | undefined;
}): FairSlots {
  const options = () => controller.preview ?? previewDefaults;
  return createSharedSlots({
    work: 'previews',
    shares: {
      principalPercentMax: 50,
      isShareStrict: false,
      adminSlotCount: 1,
      get slotCount() {
        return options().concurrencyMax;
      },
      get waitingMax() {
        return options().waitingMax ?? 8;
      },
      get principalWaitingMax() {
        return options().principalWaitingMax ?? 4;
      },
    },
    code: 'TOO_MANY_REQUESTS',
    queueSetting: 'controller.preview.queue',
    principalQueueSetting: 'controller.preview.queue.principal',
  });
}
